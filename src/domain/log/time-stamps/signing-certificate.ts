// The name of the certificate that signed a time stamp: its hash among the signed attributes.
import { hash } from 'node:crypto';
import { type BaseBlock, ObjectIdentifier, type OctetString, Sequence } from 'asn1js';
import type { Attribute, SignerInfo } from 'pkijs';

/** The attributes that name the signing certificate by its hash (RFC 2634, RFC 5035). */
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

const listChildren = (block: BaseBlock | undefined): BaseBlock[] =>
  (block as Partial<Sequence> | undefined)?.valueBlock?.value ?? [];

const readBytes = (block: BaseBlock | undefined): Buffer =>
  Buffer.from((block as Partial<OctetString> | undefined)?.valueBlock?.valueHexView ?? []);

/** Returns whether the signed attributes name this certificate, so that no other one of the same key may take its place. */
export function hasCertificateName({ signedAttrs }: SignerInfo, certificate: Uint8Array): boolean {
  const named = (signedAttrs?.attributes ?? []).filter(
    ({ type }) => type === SIGNING_CERTIFICATE || type === SIGNING_CERTIFICATE_V2,
  );
  return named.length > 0 && named.every((attribute) => isNameOf(attribute, certificate));
}

function isNameOf({ type, values }: Attribute, certificate: Uint8Array): boolean {
  const [certificates] = listChildren(values[0] as BaseBlock | undefined);
  const parts = listChildren(listChildren(certificates)[0]);
  // A hash has children too, where its bytes happen to be BER.
  const hasAlgorithm = parts[0] instanceof Sequence;
  const [named] = hasAlgorithm ? listChildren(parts[0]) : [];
  const fallback = type === SIGNING_CERTIFICATE ? 'sha1' : 'sha256';
  const digest = named instanceof ObjectIdentifier ? DIGESTS[named.getValue()] : fallback;
  const stated = readBytes(hasAlgorithm ? parts[1] : parts[0]);
  return digest !== undefined && hash(digest, certificate, 'buffer').equals(stated);
}
