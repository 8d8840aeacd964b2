// The offline check of a destruction: only a trusted custodian's statement that the ledger has shows it.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatVerifierKey, LOG_KEY, signNote, toRawPublicKey } from '@assay/tlog';
import { canonicalize, type Json } from '@assay/json';
import { formatDestruction } from '../../../src/domain/erasure/destruction.ts';
import { sha256Hex } from '../../../src/domain/record/chain.ts';
import type { Problem } from '../src/report.ts';
import {
  createBundleLines,
  disclosed,
  ORGANIZATION,
  SampleChain,
} from '../../../test/domain/record/samples/sample-chain.ts';
import { createPin, verify } from './verification.ts';

const ERASURE = '65f0000000000000000000e1';
const NAME = 'example.com/custodian';

function createCustodian() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = toRawPublicKey(createPublicKey(privateKey));
  const key = { name: NAME, type: LOG_KEY, publicKey } as const;
  return {
    vkey: formatVerifierKey(key),
    signText: (text: string) =>
      signNote(text, key, (bytes) => Promise.resolve(sign(null, bytes, privateKey))),
  };
}
const custodian = createCustodian();

const certificate = canonicalize({
  format: 'assay-erasure-certificate',
  version: 1,
  organizationId: ORGANIZATION,
  erasureId: ERASURE,
  executedAt: '2026-04-11T12:00:00.900Z',
});

/** The text of a statement; a minute's difference of clocks is allowed. */
const formatText = (epoch: number, destroyedAt = '2026-04-11T11:59:30Z'): string =>
  formatDestruction({
    origin: 'example.com/log/heads',
    epoch,
    destroyedAt: new Date(destroyedAt),
    rowsDigest: Buffer.alloc(32, 7),
  });

const statement = await custodian.signText(formatText(7));

/** A chain with the two certificates of an erasure; the second commits to the statement. */
function createEntries(committed: string, { digest = sha256Hex(certificate) } = {}) {
  const chain = new SampleChain();
  chain.trace();
  chain.amend('erasure', 0);
  const about = { kind: 'certificate', erasureId: ERASURE, digest } as const;
  chain.attest(about, { reason: 'asked for' });
  chain.attest(about, { destruction: sha256Hex(committed) });
  return chain.entries;
}

interface Given {
  entries?: ReturnType<typeof createEntries>;
  names?: string[];
  keys?: string[];
  erasure?: Json;
}

function check({
  entries = createEntries(statement),
  names = ['destruction'],
  keys = [custodian.vkey],
  erasure = { certificate, destruction: { epoch: 7, statement } },
}: Given = {}) {
  return verify(createBundleLines(disclosed(entries, names)), {
    pins: [createPin(entries.at(-1))],
    destruction: { answer: JSON.stringify({ data: erasure }), custodianKeys: keys },
  });
}

const refuse = (code: string, message: string): Pick<Problem, 'code' | 'message'> => ({
  code,
  message,
});
const createErasure = (destruction: Json, text: Json = certificate): Json => ({
  certificate: text,
  destruction,
});

it('what a trusted custodian signed, and the ledger has, is shown with its place', async () => {
  expect(await check()).toMatchObject({
    verdict: 'intact',
    destruction: {
      erasureId: ERASURE,
      epoch: 7,
      destroyedAt: '2026-04-11T11:59:30Z',
      signedBy: NAME,
      sequence: 4,
    },
  });
  const later = await custodian.signText(formatText(9));
  const erasure = createErasure({ epoch: 7, statement: later });
  expect(await check({ entries: createEntries(later), erasure })).toMatchObject({
    verdict: 'intact',
    destruction: { epoch: 9 },
  });
});

describe('it is contradicted', () => {
  it('by a ledger with another statement', async () => {
    const entries = createEntries(await custodian.signText(formatText(8)));
    expect(await check({ entries })).toMatchObject({
      verdict: 'tampered',
      destruction: null,
      problems: [
        { ...refuse('destruction-mismatch', 'the erasure has another statement'), sequence: 4 },
      ],
    });
  });

  it('by a ledger with another certificate', async () => {
    const entries = createEntries(statement, { digest: sha256Hex('another') });
    const report = await check({ entries });
    expect([report.verdict, report.destruction]).toEqual(['tampered', null]);
    expect(report.problems[0]).toMatchObject(
      refuse('destruction-mismatch', 'the erasure has another certificate'),
    );
  });

  it('by a statement that is older than the erasure', async () => {
    const old = await custodian.signText(formatText(7, '2026-04-11T11:59:00Z'));
    const erasure = createErasure({ epoch: 7, statement: old });
    expect(await check({ entries: createEntries(old), erasure })).toMatchObject({
      verdict: 'tampered',
      problems: [refuse('destruction-mismatch', 'the statement is older than the erasure')],
    });
  });
});

describe('it cannot tell', () => {
  const noKey = 'no key given has signed the statement about the destruction';
  const cases: [string, Given, string | RegExp][] = [
    ['without a key', { keys: [] }, noKey],
    ['with the key of another', { keys: [createCustodian().vkey] }, noKey],
    ['with a key that is none', { keys: ['custodian'] }, /not a verifier key/],
    ['where the statement is withheld', { names: ['reason'] }, /withheld: export/],
    ['where it is not in the document', { entries: createEntries('').slice(0, 3) }, /no entry of/],
    [
      'while the destruction is pending',
      { erasure: createErasure({ epoch: 7, statement: null }) },
      /pending/,
    ],
    ['without a custodian', { erasure: createErasure(null) }, /no custodian keeps/],
    [
      'of a later epoch',
      { erasure: createErasure({ epoch: 8, statement }) },
      'the statement is about epoch 7, the erasure about 8',
    ],
    [
      'without an epoch',
      { erasure: createErasure({ statement }) },
      'the statement is about epoch 7, the erasure about undefined',
    ],
    ['of an erasure that is none', { erasure: [] }, 'not an erasure with its certificate'],
    [
      'of a certificate that was formatted again',
      { erasure: createErasure({ epoch: 7, statement }, ` ${certificate}`) },
      /not canonical JSON/,
    ],
    [
      'of a certificate of something else',
      { erasure: createErasure({ epoch: 7, statement }, '{"version":1}') },
      /not a certificate of an erasure/,
    ],
    [
      'of a statement that is no note',
      { erasure: createErasure({ epoch: 7, statement: 'destroyed' }) },
      'not a signed note',
    ],
  ];
  it.each(cases)('%s', async (_what, given, message) => {
    const report = await check(given);
    expect([report.verdict, report.destruction]).toEqual(['cannot tell', null]);
    expect(report.problems[0]?.code).toBe('destruction-unseen');
    expect(report.problems[0]?.message).toMatch(message);
  });

  it.each([
    ['of another version', formatText(7).replace('/v1', '/v2')],
    ['of an epoch that is none', formatText(7).replace('epoch 7', 'epoch 07')],
    ['with a digest that is none', formatText(7).replace(/\n[^\n]+\n$/, '\nAAAA\n')],
    ['with another line', `${formatText(7)}more\n`],
  ])('of a signed statement %s', async (_what, text) => {
    const signed = await custodian.signText(text);
    const erasure = createErasure({ epoch: 7, statement: signed });
    const report = await check({ entries: createEntries(signed), erasure });
    expect([report.verdict, report.problems[0]?.code]).toEqual([
      'cannot tell',
      'destruction-unseen',
    ]);
  });
});

it('every part of the signed note counts', async () => {
  for (let at = 0; at < statement.length; at += 7) {
    const altered = `${statement.slice(0, at)}${statement[at] === 'x' ? 'y' : 'x'}${statement.slice(at + 1)}`;
    const { destruction } = await check({
      erasure: createErasure({ epoch: 7, statement: altered }),
    });
    expect([at, destruction]).toEqual([at, null]);
  }
});
