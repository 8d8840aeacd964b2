// What stands in for Node.js in a browser gives the same hashes, and takes and refuses the same signatures and keys.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { Passkey } from '../../../test/setup/passkeys/authenticator.ts';
import * as browser from '../../../console/verifier/primitives.ts';
import * as node from '../src/system/primitives.ts';

const TEXTS = ['', 'a', 'äöü \u2014 \u{1F600}', 'x'.repeat(1000)];

const readRawKey = (key: KeyObject): Buffer =>
  key.export({ type: 'spki', format: 'der' }).subarray(-32);
const flip = (bytes: Uint8Array, at: number): Buffer => {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return flipped;
};

test.each(TEXTS)('the hash of %j', (text) => {
  expect(browser.hashBytes(text, Buffer.from([0, 255]))).toEqual(
    node.hashBytes(text, Buffer.from([0, 255])),
  );
});

test.each(TEXTS)('Ed25519: the signature of %j holds, an altered one does not', (text) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, Buffer.from(text), privateKey);
  const key = readRawKey(publicKey);
  const cases: [string, Uint8Array, Uint8Array][] = [
    [text, signature, key],
    [`${text}.`, signature, key],
    [text, flip(signature, 3), key],
    [text, flip(signature, 40), key],
    [text, signature.subarray(1), key],
    [text, Buffer.alloc(64), key],
  ];
  const judge = ({ isEd25519Signature }: Pick<typeof node, 'isEd25519Signature'>): boolean[] =>
    cases.map((given) => isEd25519Signature(...given));
  expect(judge(browser)).toEqual(judge(node));
  expect(judge(browser)).toEqual([true, false, false, false, false, false]);
});

test.each(TEXTS)('ES256: the signature of %j holds, an altered one does not', (text) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signature = sign('sha256', Buffer.from(text), key);
  const cases: [string, Uint8Array][] = [
    [text, signature],
    [`${text}.`, signature],
    [text, flip(signature, 3)],
    [text, flip(signature, 40)],
    [text, signature.subarray(1)],
    [text, Buffer.alloc(64)],
  ];
  const judge = ({ isEs256Signature }: Pick<typeof node, 'isEs256Signature'>): boolean[] =>
    cases.map((given) => isEs256Signature(...given, jwk));
  expect(judge(browser)).toEqual(judge(node));
  expect(judge(browser)).toEqual([true, false, false, false, false, false]);
  expect(browser.computeKeyName(jwk)).toBe(node.computeKeyName(jwk));
});

test.each([-7, -8, -257] as const)('a passkey of algorithm %i: the same signatures hold', (alg) => {
  const passkey = new Passkey({ alg });
  const given = passkey.signText('a');
  const [data, clientData, signature] = [
    given.authenticatorData,
    given.clientDataJSON,
    given.signature,
  ].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
  const bytes = Buffer.concat([data, node.hashBytes(clientData)]);
  const spki = Buffer.from(passkey.document.spki, 'base64url');
  const other = alg === -7 ? -8 : -7;
  const cases: [Buffer, Buffer, node.SignatureKey][] = [
    [bytes, signature, { spki, alg }],
    [flip(bytes, 3), signature, { spki, alg }],
    [bytes, flip(signature, signature.length - 3), { spki, alg }],
    [bytes, signature.subarray(1), { spki, alg }],
    [bytes, Buffer.alloc(0), { spki, alg }],
    [bytes, signature, { spki, alg: other }],
    [bytes, signature, { spki: spki.subarray(3), alg }],
    [bytes, signature, { spki, alg: -6 }],
  ];
  const judge = ({ isKeySignature }: Pick<typeof node, 'isKeySignature'>): boolean[] =>
    cases.map((each) => isKeySignature(...each));
  expect(judge(browser)).toEqual(judge(node));
  expect(judge(browser)).toEqual([true, ...Array.from({ length: 7 }, () => false)]);
});

test.each([
  { kty: 'EC', crv: 'P-256' },
  { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
  { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'B'.repeat(43) },
])('%j is no key', (key) => {
  expect(() => node.computeKeyName(key)).toThrow();
  expect(() => browser.computeKeyName(key)).toThrow();
});

test('UTF-8 is distinguished from other bytes', () => {
  for (const bytes of [Buffer.from('äö'), Buffer.from([0xff]), Buffer.from([0xed, 0xa0, 0x80])])
    expect(browser.isUtf8(bytes)).toBe(node.isUtf8(bytes));
  expect(browser.isUtf8(randomBytes(64).fill(0xc0, 0, 2))).toBe(false);
});
