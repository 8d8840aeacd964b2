// Manifests: valid ones, and invalid ones with the reason of each (document 3, section 4.6).
// @module-tag varied
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CompactSign, compactVerify, exportJWK } from 'jose';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { type Claim, createClaim, NO_ASSERTIONS } from '../../../src/domain/provenance/claim.ts';
import { verifyLegacyManifest } from '../../../src/domain/provenance/legacy-manifest.ts';
import {
  MANIFEST_MAX,
  signManifest,
  verifyManifest,
  type Verified,
  type VerifyReason,
} from '../../../src/domain/provenance/manifest.ts';
import { computeKid, toPublicJwk } from '../../../src/domain/provenance/public-key.ts';
import { decideManifestVerdict } from '../../../src/domain/provenance/verdict.ts';
import { chooseRuns } from '../../setup/runs.ts';

function pairOf(): { kid: string; privateKey: KeyObject; publicKey: KeyObject } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...pair, kid: computeKid(toPublicJwk(pair.publicKey)) };
}
const [key, other] = [pairOf(), pairOf()];
const known = new Map([key, other].map(({ kid, publicKey }) => [kid, toPublicJwk(publicKey)]));
const keyOf = (kid: string) => Promise.resolve(known.get(kid) ?? null);
const stranger = pairOf();

const FACTS = {
  organizationId: '65f0000000000000000000a1',
  issuer: 'ada-ltd',
  traceId: 'trc_1',
  label: 'answer',
  contentHash: 'ab'.repeat(32),
  issuedAt: '2026-05-05T05:05:05.005Z',
};
const claim = createClaim(FACTS, {
  ...NO_ASSERTIONS,
  actions: [{ action: 'c2pa.created' }],
  ingredients: [{ title: 'a' }, { title: 'b' }],
  creativeWork: { name: 'Größe' },
  aiTrainingMining: { entries: { 'cawg.ai_training': { use: 'notAllowed' } } },
});

const signWith =
  ({ privateKey }: Pick<typeof key, 'privateKey'>) =>
  (bytes: Uint8Array): Promise<Uint8Array> =>
    Promise.resolve(sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' }));
const signed = await signManifest(claim, { kid: key.kid, sign: signWith(key) });
const [header = '', payload = '', signature = ''] = signed.split('.');

const HEADER = { alg: 'ES256', kid: key.kid, typ: 'assay-manifest+jws' };
const encode = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const textOf = (value: unknown): string => canonicalize(value as Json);

/** A valid signature over any header and payload. */
async function forged(
  head: unknown,
  body: unknown,
  by: Pick<typeof key, 'privateKey'> = key,
): Promise<string> {
  const parts = [head, body].map((part) => encode(typeof part === 'string' ? part : textOf(part)));
  const input = parts.join('.');
  return `${input}.${encode(Buffer.from(await signWith(by)(Buffer.from(input))))}`;
}
const without = (name: string): object =>
  Object.fromEntries(Object.entries(claim).filter(([member]) => member !== name));
const flipped = (part: string): string => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
const derSignature = encode(sign('sha256', Buffer.from(`${header}.${payload}`), key.privateKey));
const deep = (levels: number): Json => (levels === 0 ? {} : { a: deep(levels - 1) });
const hmac = await new CompactSign(Buffer.from(textOf(claim)))
  .setProtectedHeader({ ...HEADER, alg: 'HS256' })
  .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(key.publicKey))));

const CASES: [string, string, VerifyReason][] = [
  ['as it was signed', signed, 'verified'],
  ['without assertions', await forged(HEADER, createClaim(FACTS, NO_ASSERTIONS)), 'verified'],
  ['by another key of ours', await forged({ ...HEADER, kid: other.kid }, claim, other), 'verified'],
  // Form.
  ['nothing', '', 'manifest-malformed'],
  ['one part', header, 'manifest-malformed'],
  ['two parts', `${header}.${payload}`, 'manifest-malformed'],
  ['four parts', `${signed}.${signature}`, 'manifest-malformed'],
  ['an empty header', `.${payload}.${signature}`, 'manifest-malformed'],
  ['an empty payload', `${header}..${signature}`, 'manifest-malformed'],
  ['an empty signature', `${header}.${payload}.`, 'manifest-malformed'],
  ['a space in front', ` ${signed}`, 'manifest-malformed'],
  ['a line break behind', `${signed}\n`, 'manifest-malformed'],
  ['padding', `${signed}=`, 'manifest-malformed'],
  [
    'the other base64 alphabet',
    `${header}.${payload}.+/${signature.slice(2)}`,
    'manifest-malformed',
  ],
  ['a signature with bits left over', respelled(), 'manifest-malformed'],
  ['a header that is no JSON', await forged('{', claim), 'manifest-malformed'],
  ['a header that is a list', await forged([HEADER], claim), 'manifest-malformed'],
  ['a payload that is no JSON', await forged(HEADER, 'claim'), 'manifest-malformed'],
  ['a payload that is null', await forged(HEADER, 'null'), 'manifest-malformed'],
  [
    'a payload that is no UTF-8',
    `${header}.${encode(Buffer.from([0xff]))}.${signature}`,
    'manifest-malformed',
  ],
  [
    'a payload with a member twice',
    await forged(HEADER, textOf(claim).replace('{', '{"v":1,')),
    'manifest-malformed',
  ],
  [
    'a payload that is not canonical',
    await forged(HEADER, JSON.stringify(claim, null, 1)),
    'manifest-malformed',
  ],
  [
    'a payload nested too deeply',
    await forged(HEADER, { ...claim, assertions: [{ label: 'x', data: deep(40) }] }),
    'manifest-malformed',
  ],
  ['a claim of another version', await forged(HEADER, { ...claim, v: 2 }), 'manifest-malformed'],
  ['a claim with a member besides', await forged(HEADER, { ...claim, x: 1 }), 'manifest-malformed'],
  [
    'a claim without its content',
    await forged(HEADER, without('contentHash')),
    'manifest-malformed',
  ],
  [
    'a claim with a short digest',
    await forged(HEADER, { ...claim, contentHash: 'ab' }),
    'manifest-malformed',
  ],
  [
    'a claim with a number for a text',
    await forged(HEADER, { ...claim, label: 1 }),
    'manifest-malformed',
  ],
  [
    'a claim with another form of time',
    await forged(HEADER, { ...claim, issuedAt: '5 May' }),
    'manifest-malformed',
  ],
  [
    'an assertion without a label',
    await forged(HEADER, { ...claim, assertions: [{ data: {} }] }),
    'manifest-malformed',
  ],
  ['a token of another type', await forged({ ...HEADER, typ: 'JWT' }, claim), 'manifest-malformed'],
  [
    'more than may be sent',
    `${header}.${'A'.repeat(MANIFEST_MAX)}.${signature}`,
    'manifest-malformed',
  ],
  // Algorithm.
  [
    'no signature at all (none)',
    await forged({ ...HEADER, alg: 'none' }, claim),
    'algorithm-unsupported',
  ],
  ['a MAC with the public key as its secret', hmac, 'algorithm-unsupported'],
  ['another curve', await forged({ ...HEADER, alg: 'ES384' }, claim), 'algorithm-unsupported'],
  [
    'the algorithm in another case',
    await forged({ ...HEADER, alg: 'es256' }, claim),
    'algorithm-unsupported',
  ],
  ['no algorithm', await forged({ kid: key.kid, typ: HEADER.typ }, claim), 'algorithm-unsupported'],
  [
    'an extension that must be understood',
    await forged({ ...HEADER, crit: ['x'], x: 1 }, claim),
    'algorithm-unsupported',
  ],
  [
    'a payload that is not encoded',
    await forged({ ...HEADER, b64: false }, claim),
    'algorithm-unsupported',
  ],
  // Key.
  ['no name of a key', await forged({ alg: 'ES256', typ: HEADER.typ }, claim), 'key-not-found'],
  ['a number for the name of a key', await forged({ ...HEADER, kid: 1 }, claim), 'key-not-found'],
  [
    'the name of a key in capitals',
    await forged({ ...HEADER, kid: key.kid.toUpperCase() }, claim),
    'key-not-found',
  ],
  [
    'a key that is not ours',
    await forged({ ...HEADER, kid: stranger.kid }, claim, stranger),
    'key-not-found',
  ],
  // Signature.
  ['signed by a stranger in our name', await forged(HEADER, claim, stranger), 'signature-invalid'],
  ['signed by another key of ours', await forged(HEADER, claim, other), 'signature-invalid'],
  [
    'a stranger’s key in the header',
    await forged({ ...HEADER, jwk: toPublicJwk(stranger.publicKey) }, claim, stranger),
    'signature-invalid',
  ],
  [
    'another content',
    `${header}.${encode(textOf({ ...claim, contentHash: 'cd'.repeat(32) }))}.${signature}`,
    'signature-invalid',
  ],
  [
    'another decision',
    `${header}.${encode(textOf({ ...claim, traceId: 'trc_2' }))}.${signature}`,
    'signature-invalid',
  ],
  [
    'another organisation',
    `${header}.${encode(textOf({ ...claim, organizationId: 'b'.repeat(24) }))}.${signature}`,
    'signature-invalid',
  ],
  [
    'another name of a key',
    `${encode(textOf({ ...HEADER, kid: other.kid }))}.${payload}.${signature}`,
    'signature-invalid',
  ],
  ['a changed signature', `${header}.${payload}.${flipped(signature)}`, 'signature-invalid'],
  ['a signature of zeros', `${header}.${payload}.${'A'.repeat(86)}`, 'signature-invalid'],
  [
    'half a signature',
    `${header}.${payload}.${signature.slice(0, 43)}w`.replace(/.w$/, 'A'),
    'signature-invalid',
  ],
  ['a signature in DER', `${header}.${payload}.${derSignature}`, 'signature-invalid'],
];

/** Another spelling of the same bytes: 64 bytes leave four bits of the last character unused. */
function respelled(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(signed.at(-1) ?? '');
  return signed.slice(0, -1) + alphabet[last + 1];
}

test.for(CASES)('%s', async ([, manifest, reason]) => {
  const verified = await verifyManifest(manifest, keyOf);
  expect(verified.reason).toBe(reason);
  expect(verified.signed === null).toBe(reason !== 'verified');
});

test('there are at least forty cases, most of them negative', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(CASES.map(([, manifest]) => manifest)).size).toBe(CASES.length);
});

test('any library verifies a manifest, and reads the claim under the labels of C2PA', async () => {
  const { payload: bytes, protectedHeader } = await compactVerify(signed, key.publicKey);
  expect(protectedHeader).toEqual(HEADER);
  const read = JSON.parse(Buffer.from(bytes).toString()) as Claim;
  expect(read.assertions.map(({ label }) => label)).toEqual([
    'c2pa.actions.v2',
    'c2pa.ingredient.v3',
    'c2pa.ingredient.v3__1',
    'cawg.metadata',
    'cawg.training-mining',
  ]);
  const spki = key.publicKey.export({ type: 'spki', format: 'der' });
  expect(HEADER.kid).toBe(createHash('sha256').update(spki).digest('hex'));
});

test('no byte of a manifest can be changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(signed.length - 1),
      fc.base64String({ minLength: 4 }),
      async (at, text) => {
        const char = text[0] ?? 'A';
        fc.pre(char !== signed[at]);
        const changed = signed.slice(0, at) + char + signed.slice(at + 1);
        expect((await verifyManifest(changed, keyOf)).reason).not.toBe('verified');
      },
    ),
    { numRuns: chooseRuns(200, 1000) },
  );
});

const VERIFIED: Verified = { reason: 'verified', signed: { kid: key.kid, claim } };
const BROKEN: Verified = { reason: 'key-not-found', signed: null };
const record = { ...FACTS, revokedAt: null };
const revoked = { ...FACTS, revokedAt: new Date() };
const [same, another] = [FACTS.contentHash, 'cd'.repeat(32)];

test.for([
  ['all agree', VERIFIED, record, same, 'verified'],
  ['the content is not checked', VERIFIED, record, undefined, 'verified'],
  ['no record is left', VERIFIED, null, same, 'verified'],
  ['another content', VERIFIED, record, another, 'content-hash-mismatch'],
  ['another content, no record', VERIFIED, null, another, 'content-hash-mismatch'],
  ['revoked', VERIFIED, revoked, same, 'revoked'],
  ['revoked, and another content', VERIFIED, revoked, another, 'revoked'],
  ['revoked, and broken', BROKEN, revoked, same, 'revoked'],
  ['broken, and another content', BROKEN, record, another, 'key-not-found'],
  [
    'a record of another content',
    VERIFIED,
    { ...record, contentHash: another },
    another,
    'signature-invalid',
  ],
  [
    'a record of another decision',
    VERIFIED,
    { ...record, traceId: 'trc_2' },
    same,
    'signature-invalid',
  ],
  [
    'a record of another time',
    VERIFIED,
    { ...record, issuedAt: '2026-05-05T05:05:05.006Z' },
    same,
    'signature-invalid',
  ],
] as const)('the verdict: %s', ([, verified, on, contentHash, reason]) => {
  expect(decideManifestVerdict({ verified, record: on, contentHash })).toBe(reason);
});

const MAC = '5c1fd7f1a0c4b0b1e2a1f6d0a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f70';
test.for([
  ['without a key', 'own', null, 'key-not-found'],
  ['with the key', 'own', 'secret', 'verified'],
  ['with another key', 'own', 'other', 'signature-invalid'],
  ['another MAC', MAC, 'secret', 'signature-invalid'],
  ['no MAC', 'xyz', 'secret', 'manifest-malformed'],
] as const)('a former kind: %s', async ([, given, secret, reason]) => {
  const { createHmac } = await import('node:crypto');
  const own = createHmac('sha256', 'secret').update(textOf(claim)).digest('hex');
  const mac = given === 'own' ? own : given;
  expect(verifyLegacyManifest(mac, claim, secret).reason).toBe(reason);
});
