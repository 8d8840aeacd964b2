// The name of a certificate in a time stamp: a hash of any bytes is read as a hash.
import { hash } from 'node:crypto';
import { fromBER } from 'asn1js';
import type { SignerInfo } from 'pkijs';
import { expect, test } from 'vitest';
import { hasCertificateName } from '../../../src/domain/log/time-stamps/signing-certificate.ts';

const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** Bytes whose SHA-256 begins as given. */
function findCertificate(beginning: string): Buffer {
  for (let at = 0; ; at += 1) {
    const certificate = Buffer.from(`certificate ${at}`);
    if (hash('sha256', certificate).startsWith(beginning)) return certificate;
  }
}

/** A signer whose attribute names a certificate by its SHA-256, without the name of the hash function, as DER demands. */
function createSigner(named: Buffer): SignerInfo {
  const head = Buffer.from('3026302430220420', 'hex');
  const attribute = fromBER(Buffer.concat([head, hash('sha256', named, 'buffer')])).result;
  const attributes = [{ type: SIGNING_CERTIFICATE_V2, values: [attribute] }];
  return { signedAttrs: { attributes } } as unknown as SignerInfo;
}

// `041e`: a hash that could be an octet string of thirty bytes; one in some hundred could be something of BER.
test.for(['041e', '00'])('a certificate is known by a hash that begins with %s', (beginning) => {
  const certificate = findCertificate(beginning);
  expect(hasCertificateName(createSigner(certificate), certificate)).toBe(true);
  expect(hasCertificateName(createSigner(certificate), Buffer.from('another'))).toBe(false);
});
