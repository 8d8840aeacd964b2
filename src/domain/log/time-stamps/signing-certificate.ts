// Requirements of RFC 3161 on the certificate of a time-stamping authority, beyond a valid chain.
import { hash } from 'node:crypto';
import { type BaseBlock, ObjectIdentifier, type OctetString, Sequence } from 'asn1js';
import type { Certificate, ExtKeyUsage, SignerInfo } from 'pkijs';

const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
/** The attributes that name the signing certificate by its hash (RFC 2634, RFC 5035). */
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Returns whether the certificate may sign time stamps and nothing else (RFC 3161, 2.3). */
export function maySignTimeStamps({ extensions = [] }: Certificate): boolean {
  const usages = extensions.filter(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const [usage] = usages;
  const { keyPurposes = [] } = (usage?.parsedValue ?? {}) as Partial<ExtKeyUsage>;
  const [purpose] = keyPurposes;
  return usage?.critical === true && keyPurposes.length === 1 && purpose === TIME_STAMPING;
}

const listChildren = (block: BaseBlock | undefined): BaseBlock[] =>
  (block as Partial<Sequence> | undefined)?.valueBlock?.value ?? [];

const readBytes = (block: BaseBlock | undefined): Buffer =>
  Buffer.from((block as Partial<OctetString> | undefined)?.valueBlock?.valueHexView ?? []);

/** Returns whether a signed attribute names this certificate, so that no other one of the same key may take its place. */
export function hasCertificateName({ signedAttrs }: SignerInfo, certificate: Uint8Array): boolean {
  const attributes = signedAttrs?.attributes ?? [];
  const found = attributes.find(
    ({ type }) => type === SIGNING_CERTIFICATE || type === SIGNING_CERTIFICATE_V2,
  );
  const [certificates] = listChildren(found?.values[0] as BaseBlock | undefined);
  const parts = listChildren(listChildren(certificates)[0]);
  // A hash has children too, where its bytes happen to be BER.
  const hasAlgorithm = parts[0] instanceof Sequence;
  const [named] = hasAlgorithm ? listChildren(parts[0]) : [];
  const fallback = found?.type === SIGNING_CERTIFICATE ? 'sha1' : 'sha256';
  const digest = named instanceof ObjectIdentifier ? DIGESTS[named.getValue()] : fallback;
  const stated = readBytes(hasAlgorithm ? parts[1] : parts[0]);
  return digest !== undefined && hash(digest, certificate, 'buffer').equals(stated);
}
