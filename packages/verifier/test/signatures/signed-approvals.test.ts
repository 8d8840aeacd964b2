// The offline verifier on approvals that a person signed: the signature holds, is about its entry, and by a key that counted.
import { canonicalize, type JsonObject } from '@assay/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../../src/domain/record/chain.ts';
import {
  createBundleLines,
  disclosed,
  ORGANIZATION,
  type Sample,
  SampleChain,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import { Passkey } from '../../../../test/setup/passkeys/authenticator.ts';
import { findSignatureFault, type Signed } from '../../src/signatures/assertion.ts';
import { readVectors } from '../../../../test/domain/record/vectors.ts';
import { createPin, verify } from '../verification.ts';

const [OLGA, RITA] = ['4', '1'].map((digit) => digit.repeat(24)) as [string, string];
const SITE = { rpId: 'assay.example', origin: 'https://console.assay.example' };
const REVIEW = '65f0000000000000000000b1';
const DAY = 86_400_000;

const [olgas, ritas, forged] = [new Passkey(SITE), new Passkey(SITE), new Passkey(SITE)] as const;
const toDigest = (passkey: Passkey): string => sha256Hex(canonicalize(passkey.document));

type State = 'enrolled' | 'confirmed' | 'revoked';

/** A chain with credentials and a decision that has to be approved with a signature. */
class Story extends SampleChain {
  say(passkey: Passkey, status: State, values: JsonObject, [of, by] = [OLGA, OLGA]): Sample {
    const facts = { credentialId: passkey.hash, userId: of, status, digest: toDigest(passkey) };
    return this.attest({ kind: 'credential', ...facts }, values as never, by);
  }

  enrol(passkey: Passkey, userId: string): Sample {
    const values = { publicKey: passkey.document, enrolment: {} };
    return this.say(passkey, 'enrolled', values, [userId, userId]);
  }

  /** Olga's key counts after a day, Rita's since Olga signed over it. */
  begin(): this {
    this.enrol(olgas, OLGA);
    this.wait(DAY);
    const first = this.say(olgas, 'confirmed', { confirmation: { delay: 86_400 } });
    const enrolled = this.enrol(ritas, RITA);
    this.confirm(ritas, { enrolled, first });
    return this;
  }

  confirm(passkey: Passkey, { enrolled, first }: { enrolled: Sample; first: Sample }): Sample {
    const statement = {
      format: 'assay-confirmation/v1',
      organizationId: ORGANIZATION,
      userId: RITA,
      credentialId: passkey.hash,
      digest: toDigest(passkey),
      after: { sequence: enrolled.sequence, chainHash: enrolled.chainHash },
    };
    const credential = { id: olgas.hash, confirmed: first.sequence, publicKey: olgas.document };
    const assertion = olgas.signText(canonicalize(statement));
    const confirmation = { statement, assertion, credential };
    return this.say(passkey, 'confirmed', { confirmation }, [RITA, OLGA]);
  }

  hold(): Sample {
    const approvals = { steps: [], inOrder: false, exclude: [], signed: true };
    return this.trace({ facts: { review: { approvals } } });
  }
}

interface Vector extends Signed {
  name: string;
  fault: string | null;
}

interface Approved {
  by?: string;
  passkey?: Passkey;
  confirmed?: number;
  /** Replaces members of the statement before it is signed. */
  said?: JsonObject;
  /** Replaces members of the statement after it was signed. */
  altered?: JsonObject;
  given?: Parameters<Passkey['signText']>[1];
  isSigned?: boolean;
}

const APPROVED = { actionDigest: 'a'.repeat(64) };

function approve(chain: Story, at: number, approved: Approved = {}): Sample {
  const { by = RITA, passkey = ritas, confirmed = 4, isSigned = true } = approved;
  return chain.approve(at, 'review', {
    by,
    values(traceId, place) {
      if (!isSigned) return APPROVED;
      const statement = {
        format: 'assay-approval/v1',
        organizationId: ORGANIZATION,
        traceId,
        reviewId: REVIEW,
        decision: 'approve',
        step: null,
        ...APPROVED,
        rawAction: null,
        edits: null,
        policySetDigest: sha256Hex('[]'),
        expiresAt: null,
        ...place,
        ...approved.said,
      };
      const assertion = passkey.signText(canonicalize(statement as never), approved.given);
      const credential = { id: passkey.hash, confirmed, publicKey: passkey.document };
      return {
        ...APPROVED,
        statement: { ...statement, ...approved.altered },
        assertion,
        credential,
      } as never;
    },
  });
}

async function check(
  entries: readonly Sample[],
  { keys = [], names }: { keys?: Passkey[]; names?: string[] } = {},
) {
  const pins = [createPin(entries.at(-1))];
  const approverKeys = keys.map(({ document: { spki } }) => spki);
  const traceId = entries.findLast(({ view }) => view.includes('"kind":"review"'))?.traceId ?? '';
  const { problems, signatures, decision } = await verify(
    createBundleLines(disclosed(entries, names)),
    { pins, approverKeys, decision: { traceId } },
  );
  return {
    problems: problems.map(({ code, message }) => `${code}: ${message}`),
    signatures,
    signer: decision?.at(-1)?.signer,
  };
}

function build(approved: Approved = {}): Sample[] {
  const chain = new Story().begin();
  chain.hold();
  approve(chain, 0, approved);
  return chain.entries;
}

test('an approval is by a key that the organisation enrolled, and by a person’s key where it is pinned', async () => {
  const entries = build();
  const none = { pinned: 0, enrolled: 0, unknown: 0 };
  expect(await check(entries)).toEqual({
    problems: [],
    signatures: { ...none, enrolled: 1 },
    signer: 'enrolled',
  });
  expect(await check(entries, { keys: [ritas] })).toEqual({
    problems: [],
    signatures: { ...none, pinned: 1 },
    signer: 'pinned',
  });
  expect((await check(entries.slice(4))).signatures).toEqual({ ...none, unknown: 1 });
});

test.each<[string, Approved, string]>([
  ['no signature', { isSigned: false }, 'it is approved without the signature of a person'],
  ['a key of another person', { by: OLGA }, 'it is signed with the key of another person'],
  [
    'a key that was not enrolled',
    { passkey: forged },
    'it is signed with a key that was never enrolled',
  ],
  ['another confirmation', { confirmed: 2 }, 'it names another confirmation of its key'],
  [
    'no verification of the person',
    { given: { isVerified: false } },
    'its signature was given without verifying the person',
  ],
  [
    'another origin',
    { given: { origin: 'https://assay.example.evil.example' } },
    'its signature was given at another origin',
  ],
  [
    'plain http',
    { given: { origin: 'http://assay.example' } },
    'its signature was given at another origin',
  ],
  ['another domain', { given: { rpId: 'evil.example' } }, 'its signature is for another domain'],
  ['a registration', { given: { type: 'webauthn.create' } }, 'its signature is of another kind'],
  [
    'a statement altered afterwards',
    { altered: { expiresAt: '2030-01-01T00:00:00.000Z' } },
    'its signature is of another statement',
  ],
  ...[
    'organizationId',
    'traceId',
    'reviewId',
    'decision',
    'actionDigest',
    'rawAction',
    'edits',
    'policySetDigest',
    'step',
    'after',
    'subject',
  ].map((name): [string, Approved, string] => [
    `another ${name}`,
    { said: { [name]: 'other' } },
    `its statement names another ${name}`,
  ]),
  ['another format', { said: { format: 'x' } }, 'its statement is of another format'],
])('an approval with %s is found', async (_name, approved, message) => {
  const { problems, signatures } = await check(build(approved));
  expect(problems).toEqual([`signature-mismatch: ${message}`]);
  expect(signatures).toEqual({ pinned: 0, enrolled: 0, unknown: 0 });
});

test('a signature is good once: for another decision, or the same one later, it is found', async () => {
  const chain = new Story().begin();
  chain.hold();
  const first = approve(chain, 0);
  chain.hold();
  const read = (name: string) => JSON.parse(first.sealed[name]!.text) as never;
  const parts = ['statement', 'assertion', 'credential', 'actionDigest'];
  const values = Object.fromEntries(parts.map((name) => [name, read(name)]));
  chain.approve(1, 'review', { by: RITA, values });
  const { problems } = await check(chain.entries);
  expect(problems).toEqual(['signature-mismatch: its statement names another traceId']);
});

test('what was signed before a key was revoked stays signed, and nothing after it', async () => {
  const chain = new Story().begin();
  chain.hold();
  chain.hold();
  approve(chain, 0);
  chain.say(ritas, 'revoked', {}, [RITA, OLGA]);
  expect((await check(chain.entries)).problems).toEqual([]);
  approve(chain, 1);
  expect((await check(chain.entries)).problems).toEqual([
    'signature-mismatch: it is signed with a key that is revoked, not confirmed',
  ]);
});

test.each<[string, (chain: Story) => void, string]>([
  [
    'a key confirmed too early',
    (chain) => {
      chain.enrol(olgas, OLGA);
      chain.wait(DAY / 2);
      chain.say(olgas, 'confirmed', { confirmation: { delay: 1 } });
    },
    'it is confirmed before its delay is over',
  ],
  [
    'a key confirmed by its own person where another one has a key',
    (chain) => {
      chain.begin();
      chain.enrol(forged, RITA);
      chain.wait(DAY);
      chain.say(forged, 'confirmed', { confirmation: { delay: 86_400 } }, [RITA, RITA]);
    },
    'it is confirmed by its own person, where another one had a key',
  ],
  [
    'a key confirmed with no word of anyone',
    (chain) => {
      chain.enrol(olgas, OLGA);
      chain.wait(DAY);
      chain.say(olgas, 'confirmed', {});
    },
    'it is confirmed by no one',
  ],
  [
    'a confirmation of another key',
    (chain) => {
      chain.begin();
      const enrolled = chain.enrol(forged, RITA);
      const first = chain.entries[1] as Sample;
      chain.confirm(ritas, { enrolled, first });
    },
    'it is confirmed, and was confirmed',
  ],
  [
    'a confirmation about another place',
    (chain) => {
      chain.begin();
      chain.enrol(forged, RITA);
      const [first, enrolled] = [chain.entries[1] as Sample, chain.entries[2] as Sample];
      chain.confirm(forged, { enrolled, first });
    },
    'its confirmation is about something else',
  ],
  [
    'a key of no enrolment',
    (chain) => chain.say(olgas, 'confirmed', { confirmation: { delay: 86_400 } }),
    'it is confirmed and was never enrolled',
  ],
  [
    'a key enrolled for another person',
    (chain) => chain.say(olgas, 'enrolled', { publicKey: olgas.document }, [OLGA, RITA]),
    'it is enrolled by another person',
  ],
  [
    'a key that is not the one of the digest',
    (chain) => chain.say(olgas, 'enrolled', { publicKey: ritas.document }),
    'its digest is not that of its key',
  ],
])('%s is found', async (_name, tell, message) => {
  const chain = new Story();
  tell(chain);
  expect((await check(chain.entries)).problems).toEqual([`credential-mismatch: ${message}`]);
});

test('of what is withheld nothing is said', async () => {
  const { problems, signatures } = await check(build({ passkey: forged }), { names: ['facts'] });
  expect(problems).toEqual([]);
  expect(signatures).toEqual({ pinned: 0, enrolled: 0, unknown: 0 });
});

test('who holds all keys of server and database enrols a key of their own: it shows, and is no pinned key', async () => {
  const chain = new Story().begin();
  chain.enrol(forged, RITA);
  chain.wait(DAY);
  chain.hold();
  approve(chain, 0, { passkey: forged });
  expect((await check(chain.entries, { keys: [ritas] })).problems).toEqual([
    'signature-mismatch: it is signed with a key that is enrolled, not confirmed',
  ]);
});

test.each(readVectors<Vector[]>('signatures.json'))('vector: $name', ({ fault, ...signed }) => {
  expect(findSignatureFault(signed)).toBe(fault);
});

test.each([-7, -8, -257] as const)('algorithm %i: any flipped bit is found', (alg) => {
  const passkey = new Passkey({ ...SITE, alg });
  const statement = { format: 'x' };
  const given = passkey.signText(canonicalize(statement));
  const credential = { id: passkey.hash, publicKey: passkey.document };
  const judge = (assertion: JsonObject): string | null =>
    findSignatureFault({ statement, assertion, credential } as never);
  expect(judge(given)).toBeNull();
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(given)), fc.nat(), (name, at) => {
      const bytes = Buffer.from(given[name] as string, 'base64url');
      const bit = at % (bytes.length * 8);
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(judge({ ...given, [name]: bytes.toString('base64url') })).not.toBeNull();
    }),
    { numRuns: 150 },
  );
});
