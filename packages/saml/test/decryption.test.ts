// Encrypted assertions: accepted forms, and those that are refused.
import {
  constants,
  createCipheriv,
  createPrivateKey,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decryptAssertion, UNOPENED } from '../src/decryption.ts';
import { parseXml } from '../src/xml/xml.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = createPrivateKey(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
const ENC = 'http://www.w3.org/2001/04/xmlenc#';
const ENC11 = 'http://www.w3.org/2009/xmlenc11#';
const DS = 'http://www.w3.org/2000/09/xmldsig#';

interface Sealing {
  algorithm: string;
  keyAlgorithm: string;
  /** Children of the key's EncryptionMethod. */
  parameters: string;
  oaepHash: string;
  /** Bytes of the key in the envelope. */
  keyBytes: number;
  plaintext: Buffer;
  change: (xml: string) => string;
}

const value = (bytes: Buffer): string =>
  `<x:CipherData><x:CipherValue>${bytes.toString('base64')}</x:CipherValue></x:CipherData>`;

/** CBC without padding, which a test adds itself; GCM with its tag at the end. */
function sealed(content: string, more: Partial<Sealing> = {}): string {
  const { algorithm = `${ENC11}aes256-gcm`, keyAlgorithm = `${ENC}rsa-oaep-mgf1p` } = more;
  const { parameters = '', oaepHash = 'sha1', change = (xml) => xml } = more;
  const [, bits = '256', mode = 'gcm'] = /aes(\d+)-(cbc|gcm)$/.exec(algorithm) ?? [];
  const contentKey = randomBytes(Number(bits) / 8);
  const iv = randomBytes(mode === 'gcm' ? 12 : 16);
  const cipher = createCipheriv(`aes-${bits}-${mode}` as 'aes-256-gcm', contentKey, iv);
  if (mode === 'cbc') cipher.setAutoPadding(false);
  const body = [iv, cipher.update(more.plaintext ?? Buffer.from(content)), cipher.final()];
  if (mode === 'gcm') body.push(cipher.getAuthTag());
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt(
    { key: pair.publicKey, padding, oaepHash },
    contentKey.subarray(0, more.keyBytes),
  );
  const method = (name: string, inner: string): string =>
    `<x:EncryptionMethod Algorithm="${name}">${inner}</x:EncryptionMethod>`;
  return change(
    `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:x="${ENC}" xmlns:d="${DS}"><x:EncryptedData>${method(algorithm, '')}<d:KeyInfo><x:EncryptedKey>${method(keyAlgorithm, parameters)}${value(wrapped)}</x:EncryptedKey></d:KeyInfo>${value(Buffer.concat(body))}</x:EncryptedData></saml:EncryptedAssertion>`,
  );
}
const open = (xml: string): string => decryptAssertion(parseXml(xml), key);
const digest = (name: string): string => `<d:DigestMethod Algorithm="${name}"/>`;
const mask = (name: string): string => `<m:MGF xmlns:m="${ENC11}" Algorithm="${name}"/>`;
/** Filled up to whole blocks, the last byte being `last`. */
const padded = (text: string, last: number, blocks = 2): Buffer => {
  const bytes = Buffer.alloc(16 * blocks, 0x20);
  bytes.write(text);
  bytes[bytes.length - 1] = last;
  return bytes;
};

test.for<[string, Partial<Sealing>]>([
  ['aes128-gcm', { algorithm: `${ENC11}aes128-gcm` }],
  ['aes192-gcm', { algorithm: `${ENC11}aes192-gcm` }],
  ['aes256-gcm', {}],
  ['a digest that is said', { parameters: digest(`${DS}sha1`) }],
  [
    'SHA-256 in both places',
    {
      keyAlgorithm: `${ENC11}rsa-oaep`,
      oaepHash: 'sha256',
      parameters: digest(`${ENC}sha256`) + mask(`${ENC11}mgf1sha256`),
    },
  ],
  [
    'SHA-512 in both places',
    {
      keyAlgorithm: `${ENC11}rsa-oaep`,
      oaepHash: 'sha512',
      parameters: digest(`${ENC}sha512`) + mask(`${ENC11}mgf1sha512`),
    },
  ],
  [
    'a mask that is said',
    { keyAlgorithm: `${ENC11}rsa-oaep`, parameters: mask(`${ENC11}mgf1sha1`) },
  ],
])('%s is decrypted', ([, sealing]) => {
  expect(open(sealed('<a>ü</a>', sealing))).toBe('<a>ü</a>');
});

test.for([128, 192, 256])(
  'aes%i-cbc is opened, with any padding of one to sixteen bytes',
  (bits) => {
    const algorithm = `${ENC}aes${bits}-cbc`;
    for (const last of [1, 2, 16]) {
      const text = 'x'.repeat(32 - last);
      expect(open(sealed('', { algorithm, plaintext: padded(text, last) }))).toBe(text);
    }
  },
);

describe('is not decrypted, and the reason does not say where it failed', () => {
  test.for<[string, Partial<Sealing>]>([
    ['a padding of nothing', { algorithm: `${ENC}aes256-cbc`, plaintext: padded('x', 0) }],
    ['a padding beyond a block', { algorithm: `${ENC}aes256-cbc`, plaintext: padded('x', 17) }],
    ['no block', { algorithm: `${ENC}aes256-cbc`, plaintext: Buffer.alloc(0) }],
    ['a key that is too short', { keyBytes: 16 }],
    ['another digest than is said', { oaepHash: 'sha256' }],
    ['what is no UTF-8', { plaintext: Buffer.from([0xc3, 0x28]) }],
    [
      'no initialisation vector',
      { change: (xml) => xml.replace(/(<\/d:KeyInfo>.*CipherValue>)[^<]+/, '$1AAAA') },
    ],
    [
      'a changed tag',
      {
        change: (xml) =>
          xml.replace(/.{4}(<\/x:CipherValue><\/x:CipherData><\/x:EncryptedData>)/, 'AAAA$1'),
      },
    ],
    ['a changed key', { change: (xml) => xml.replace(/(<x:CipherValue>).{4}/, '$1AAAA') }],
  ])('%s', ([, sealing]) => {
    expect(() => open(sealed('<a/>', sealing))).toThrow(UNOPENED);
  });
});

describe('is refused for its form', () => {
  const again = (pattern: RegExp) => (xml: string) => xml.replace(pattern, '$&$&');
  test.for<[string, Partial<Sealing>, RegExp]>([
    [
      'another content algorithm',
      { change: (xml) => xml.replace('aes256-gcm', 'aes256-ctr') },
      /algorithm of the assertion is not accepted/,
    ],
    [
      'another key algorithm',
      { keyAlgorithm: `${ENC}rsa-1_5` },
      /algorithm of the key is not accepted/,
    ],
    ['another digest', { parameters: digest(`${ENC}ripemd160`) }, /algorithm of the key/],
    ['another mask', { parameters: mask(`${ENC11}mgf1sha384`) }, /algorithm of the key/],
    [
      'a digest without its mask',
      { parameters: digest(`${ENC}sha256`), oaepHash: 'sha256' },
      /algorithm of the key/,
    ],
    [
      'a mask without its digest',
      { parameters: mask(`${ENC11}mgf1sha256`) },
      /algorithm of the key/,
    ],
    ['two digests', { parameters: digest(`${DS}sha1`).repeat(2) }, /more than one DigestMethod/],
    [
      'no key',
      { change: (xml) => xml.replace(/<x:EncryptedKey>.*<\/x:EncryptedKey>/, '') },
      /exactly one encrypted key/,
    ],
    [
      'two keys',
      { change: again(/<x:EncryptedKey>.*<\/x:EncryptedKey>/) },
      /exactly one encrypted key/,
    ],
    [
      'a key of another namespace',
      { change: (xml) => xml.replaceAll('x:EncryptedKey>', 'd:EncryptedKey>') },
      /exactly one encrypted key/,
    ],
    [
      'two data',
      { change: again(/<x:EncryptedData>.*<\/x:EncryptedData>/) },
      /more than one EncryptedData/,
    ],
    [
      'no method',
      { change: (xml) => xml.replace(/<x:EncryptionMethod [^>]+><\/x:EncryptionMethod>/, '') },
      /EncryptedData has no EncryptionMethod/,
    ],
    [
      'an empty value',
      { change: (xml) => xml.replace(/(<x:CipherValue>)[^<]+/, '$1') },
      /CipherValue is empty/,
    ],
  ])('%s', ([, sealing, reason]) => {
    expect(() => open(sealed('<a/>', sealing))).toThrow(reason);
  });
});
