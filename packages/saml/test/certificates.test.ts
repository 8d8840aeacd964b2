// Certificates of identity providers: which are accepted, their facts, and the signing one of a chain.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { findCertificateProblem, omitIssuers, readCertificateFacts } from '../src/certificates.ts';
import { createCertifiedKey, createSelfSigned } from '../../../test/setup/providers/self-signed.ts';

const { certificate: leaf } = createSelfSigned('Signer', '2030-01-01');
/** The certificates of a chain on an elliptic curve, the signing one first. */
const createChain = (name: string): string[] =>
  createCertifiedKey(name).certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
const [signing = '', issuer = ''] = createChain('Gate');
const { validTo } = new X509Certificate(leaf);
const end = new Date(validTo);
const before = new Date(end.getTime() - 1);

test('a certificate is accepted until it ends', () => {
  expect(findCertificateProblem(leaf, before)).toBeNull();
  expect(findCertificateProblem(leaf, end)).toBe(`expired on ${end.toISOString()}`);
});

test('bare base64 is the same certificate', () => {
  const bare = leaf.replaceAll(/-----[A-Z ]+-----/g, '');
  expect(findCertificateProblem(bare, before)).toBeNull();
  expect(readCertificateFacts(bare)).toEqual(readCertificateFacts(leaf));
});

test('its facts', () => {
  const certificate = new X509Certificate(leaf);
  expect(readCertificateFacts(leaf)).toEqual({
    pem: certificate.toString(),
    subject: certificate.subject.replaceAll('\n', ', '),
    fingerprint: certificate.fingerprint256,
    validFrom: new Date(certificate.validFrom),
    validTo: end,
  });
});

const pem = (kind: string): string => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

test.each([
  ['two certificates', leaf + signing, 'must be one certificate in PEM format'],
  ['other text', 'a certificate?', 'must be one certificate in PEM format'],
  ['one on a curve', signing, 'has a key that is not RSA; only RSA signatures are accepted'],
  ['a damaged one', pem('CERTIFICATE'), 'is not an X.509 certificate'],
  [
    'a key',
    publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'is not an X.509 certificate',
  ],
  ['bare base64 of something else', 'AAAABBBB', 'is not an X.509 certificate'],
])('%s is none', (_what, text, problem) => {
  expect(findCertificateProblem(text, before)).toBe(problem);
});

test('of a chain in any order the signing certificate remains; strangers and damaged ones stay', () => {
  const [stranger = ''] = createChain('Stranger');
  const damaged = pem('CERTIFICATE');
  expect(omitIssuers([signing, issuer])).toEqual([signing]);
  expect(omitIssuers([issuer, signing])).toEqual([signing]);
  expect(omitIssuers([issuer])).toEqual([issuer]);
  expect(omitIssuers([issuer, stranger, damaged])).toEqual([issuer, stranger, damaged]);
});
