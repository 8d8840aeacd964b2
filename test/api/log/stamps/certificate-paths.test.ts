// Hostile certificates in time stamps: the verifier and the service end at once, and accept what a path of RFC 5280 leads to.
import { performance } from 'node:perf_hooks';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { beforeAll, describe, expect, test } from 'vitest';
import { readStamp } from '@assay/verifier';
import { readTimeStampAnswer } from '../../../../src/domain/log/time-stamps/time-stamp.ts';
import {
  type CertificateParts,
  createAnswer,
  createCertificate,
  createKey,
  type TestKey,
  TIME_STAMPING,
  type TokenParts,
} from './crafted-stamps.ts';

const TEXT = 'log.example.com/heads\n12\nabc=\n';
const NONCE = 2n ** 62n;
const ANY_PURPOSE = '2.5.29.37.0';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** A stamp and the roots that its reader trusts. */
interface Case {
  answer: Uint8Array;
  roots: pki.Certificate[];
}

/** Both verifiers on the same bytes: null where they accept. */
async function judge({ answer, roots }: Case): Promise<(string | null)[]> {
  const toFault = (reading: Promise<unknown>) =>
    reading.then(
      () => null,
      (error: Error) => error.message,
    );
  return [
    await toFault(readStamp(answer, { roots, texts: [TEXT] })),
    await toFault(
      readTimeStampAnswer(
        answer,
        { text: TEXT, nonce: NONCE },
        { roots: roots.map((root) => new Uint8Array(root.toSchema().toBER())), now: new Date() },
      ),
    ),
  ];
}

let rootKey: TestKey;
let key: TestKey;
let otherKey: TestKey;
let root: pki.Certificate;
beforeAll(async () => {
  [rootKey, key, otherKey] = await Promise.all([createKey(), createKey(), createKey()]);
  root = await createCa({ subject: 'Root', key: rootKey, issuer: 'Root', issuerKey: rootKey });
});

const createCa = (
  parts: Pick<CertificateParts, 'subject' | 'key' | 'issuer' | 'issuerKey'> &
    Partial<CertificateParts>,
) => createCertificate({ pathLength: null, usage: 0x04, hasKeyIds: true, ...parts });
const createSigner = (parts: Partial<CertificateParts> = {}) =>
  createCertificate({
    subject: 'Stamps',
    key,
    issuer: 'Root',
    issuerKey: rootKey,
    purposes: [TIME_STAMPING],
    usage: 0x80,
    hasKeyIds: true,
    ...parts,
  });
const stamp = async (
  signer: pki.Certificate,
  others: readonly pki.Certificate[] = [],
  more: Partial<TokenParts> = {},
): Promise<Case> => ({
  answer: await createAnswer({
    text: TEXT,
    nonce: NONCE,
    signer,
    key,
    certificates: [signer, ...others],
    ...more,
  }),
  roots: [root],
});

/** A stamp below intermediates, the last of which signed its certificate. */
async function stampBelow(
  parts: Partial<CertificateParts>[],
  signer: Partial<CertificateParts> = {},
): Promise<Case> {
  const chain: pki.Certificate[] = [];
  let [issuer, issuerKey] = ['Root', rootKey];
  for (const [at, part] of parts.entries()) {
    const own = await createKey();
    chain.push(await createCa({ subject: `CA ${at}`, key: own, issuer, issuerKey, ...part }));
    [issuer, issuerKey] = [part.subject ?? `CA ${at}`, own];
  }
  return stamp(await createSigner({ issuer, issuerKey, ...signer }), chain);
}

describe('accepted', () => {
  test.for<[string, () => Promise<Case>]>([
    ['below the root', async () => stamp(await createSigner())],
    ['below one intermediate', () => stampBelow([{}])],
    ['below eight', () => stampBelow(Array.from({ length: 8 }, () => ({})))],
    ['path lengths that suffice', () => stampBelow([{ pathLength: 1 }, { pathLength: 0 }])],
    ['an intermediate for time stamps', () => stampBelow([{ purposes: [TIME_STAMPING] }])],
    ['an intermediate for all purposes', () => stampBelow([{ purposes: [ANY_PURPOSE] }])],
    ['without key ids', () => stampBelow([{ hasKeyIds: false }], { hasKeyIds: false })],
    ['without key usage', async () => stamp(await createSigner({ usage: undefined as never }))],
    [
      'each certificate twice',
      async () => {
        const signer = await createSigner();
        return stamp(signer, [signer, root, root]);
      },
    ],
    [
      'a cross-signed intermediate whose first issuer is unknown',
      async () => {
        const strange = await createKey();
        const parts = { subject: 'CA', key: otherKey };
        const cross = await createCa({ ...parts, issuer: 'Other root', issuerKey: strange });
        const own = await createCa({ ...parts, issuer: 'Root', issuerKey: rootKey });
        const signer = await createSigner({ issuer: 'CA', issuerKey: otherKey });
        return stamp(signer, [cross, own]);
      },
    ],
  ])('%s', async ([, create]) => {
    expect(await judge(await create())).toEqual([null, null]);
  });
});

/** n authorities of one name and key, each of which has issued all others. */
async function createClique(names: readonly string[]): Promise<pki.Certificate[]> {
  const keys = new Map<string, TestKey>();
  for (const name of names) keys.set(name, await createKey());
  const pairs = names.flatMap((subject) =>
    names.filter((issuer) => issuer !== subject).map((issuer) => ({ subject, issuer })),
  );
  return Promise.all(
    pairs.map(({ subject, issuer }) =>
      createCa({
        subject,
        key: keys.get(subject)!,
        issuer,
        issuerKey: keys.get(issuer)!,
        hasKeyIds: false,
      }),
    ),
  );
}

describe('refused, at once', () => {
  test.for<[string, RegExp, () => Promise<Case>]>([
    [
      'two certificates that issue each other',
      /none of the root/,
      async () => {
        const [a, b] = await createClique(['A', 'B']);
        const signer = await createSigner({ subject: 'A', issuer: 'B', issuerKey: otherKey });
        return stamp(signer, [a!, b!]);
      },
    ],
    [
      'the signer and its issuer issue each other',
      /none of the root/,
      async () => {
        const signer = await createSigner({
          subject: 'A',
          issuer: 'B',
          issuerKey: otherKey,
          pathLength: null,
        });
        const issuer = await createCa({ subject: 'B', key: otherKey, issuer: 'A', issuerKey: key });
        return stamp(signer, [issuer]);
      },
    ],
    [
      'a clique of three',
      /none of the root/,
      async () => {
        const clique = await createClique(['A', 'B', 'C']);
        return stamp(await createSigner({ issuer: 'A', issuerKey: otherKey }), clique);
      },
    ],
    [
      'nine of one name and key, issued by themselves',
      /none of the root|too many/,
      async () => {
        const parts = { subject: 'CA', key: otherKey, issuer: 'CA', issuerKey: otherKey };
        const same = await Promise.all(Array.from({ length: 9 }, () => createCa(parts)));
        return stamp(await createSigner({ issuer: 'CA', issuerKey: otherKey }), same);
      },
    ],
    [
      'twenty certificates',
      /too many|more than/,
      async () => {
        const clique = await createClique(Array.from({ length: 5 }, (_, at) => `CA ${at}`));
        return stamp(await createSigner({ issuer: 'CA 0', issuerKey: otherKey }), clique);
      },
    ],
    [
      'a path of eleven',
      /none of the root|too many|more than/,
      () => stampBelow(Array.from({ length: 9 }, () => ({}))),
    ],
    [
      'an issuer that is no authority',
      /no certificate authority/,
      () => stampBelow([{ pathLength: undefined as never }]),
    ],
    [
      'an issuer that may not sign certificates',
      /may not sign certificates|none of the root/,
      () => stampBelow([{ usage: 0x80 }]),
    ],
    [
      'a path length of nought with another below it',
      /fewer authorities/,
      () => stampBelow([{ pathLength: 0 }, {}]),
    ],
    [
      'an issuer for servers alone',
      /not one for time stamps/,
      () => stampBelow([{ purposes: [SERVER_AUTH] }]),
    ],
    [
      'an issuer that had expired',
      /expired|not valid/,
      () => stampBelow([{ to: new Date('2021-01-01') }]),
    ],
    [
      'an issuer with an unknown critical part',
      /critical/,
      () => stampBelow([{ isStrange: true }]),
    ],
    ['an issuer signed with SHA-1', /SHA-2/, () => stampBelow([{ hash: 'SHA-1' }])],
    ['a certificate signed with SHA-1', /SHA-2/, () => stampBelow([], { hash: 'SHA-1' })],
    [
      'a stamp signed with SHA-1',
      /SHA-2/,
      async () => stamp(await createSigner(), [], { hash: 'SHA-1' }),
    ],
    [
      'a certificate with an unknown critical part',
      /critical/,
      () => stampBelow([], { isStrange: true }),
    ],
    [
      'a certificate for two purposes',
      /alone/,
      () => stampBelow([], { purposes: [TIME_STAMPING, SERVER_AUTH] }),
    ],
    ['a purpose that is not critical', /alone/, () => stampBelow([], { isPurposeCritical: false })],
    ['no purpose', /alone/, () => stampBelow([], { purposes: undefined as never })],
    ['a key for certificates', /something else/, () => stampBelow([], { usage: 0x84 })],
    ['a key that signs nothing', /something else/, () => stampBelow([], { usage: 0x08 })],
    [
      'a certificate that had expired',
      /expired|valid/,
      () => stampBelow([], { to: new Date('2021-01-01') }),
    ],
    [
      'no certificate is named',
      /names|name its/,
      async () => stamp(await createSigner(), [], { named: null }),
    ],
    [
      'another certificate of the same key is named',
      /names|name its/,
      async () => {
        const [signer, other] = [await createSigner(), await createSigner()];
        return stamp(signer, [other], { named: other });
      },
    ],
    [
      'a thousand attributes',
      /too many|attributes/,
      async () => stamp(await createSigner(), [], { attributes: 1000 }),
    ],
    [
      'a name of a thousand parts',
      /too many|parts/,
      async () => stamp(await createSigner({ attributes: 500 })),
    ],
    [
      'an RSA key of 16384 bits',
      /RSA key|none of the root/,
      async () => {
        const publicKey = createRsaKey(2048, 3);
        return stampBelow([{ publicKey }]);
      },
    ],
    [
      'an RSA exponent of 2048 bits',
      /RSA key|none of the root/,
      async () => stampBelow([{ publicKey: createRsaKey(256, 256) }]),
    ],
    [
      'an RSA key of 512 bits',
      /RSA key|none of the root/,
      async () => stampBelow([{ publicKey: createRsaKey(64, 3) }]),
    ],
  ])('%s', async ([, message, create]) => {
    const hostile = await create();
    const began = performance.now();
    const faults = await judge(hostile);
    expect(performance.now() - began).toBeLessThan(4000);
    for (const fault of faults) expect(fault).toMatch(message);
  });
});

/** An RSA key that is odd in its modulus and exponent, each of the given length. */
function createRsaKey(modulusBytes: number, exponentBytes: number): pki.PublicKeyInfo {
  const createOdd = (length: number) =>
    new asn1.Integer({ valueHex: Uint8Array.from({ length }, () => 0x7f) });
  const parsed = new pki.RSAPublicKey({
    modulus: createOdd(modulusBytes),
    publicExponent: createOdd(exponentBytes),
  });
  return new pki.PublicKeyInfo({
    algorithm: new pki.AlgorithmIdentifier({
      algorithmId: '1.2.840.113549.1.1.1',
      algorithmParams: new asn1.Null(),
    }),
    subjectPublicKey: new asn1.BitString({ valueHex: parsed.toSchema().toBER() }),
  });
}
