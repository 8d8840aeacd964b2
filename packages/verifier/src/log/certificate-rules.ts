// What a certificate must be to sign time stamps, or to issue those that do (RFC 3161, 5280): rules of one certificate.
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';

const KEY_USAGE = '2.5.29.15';
const SUBJECT_KEY_ID = '2.5.29.14';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const POLICIES = '2.5.29.32';
const ALTERNATIVE_NAME = '2.5.29.17';
/** What may be critical. No policy is asked for, and no name is compared. */
const KNOWN = new Set([
  ...[KEY_USAGE, SUBJECT_KEY_ID, BASIC_CONSTRAINTS, AUTHORITY_KEY_ID, EXTENDED_KEY_USAGE],
  ...[POLICIES, ALTERNATIVE_NAME],
]);
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ANY_PURPOSE = '2.5.29.37.0';
/** The bits of a key usage in its first byte: digitalSignature and contentCommitment; keyCertSign. */
const SIGNING = 0xc0;
const CERTIFYING = 0x04;

const RSA_PSS = '1.2.840.113549.1.1.10';
const RSA = '1.2.840.113549.1.1.1';
/** RSA, ECDSA and Ed25519 with SHA-2. */
const SIGNATURES = new Set([
  ...['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.12', '1.2.840.113549.1.1.13'],
  ...['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4', '1.3.101.112'],
]);
const DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};
/** Bytes of an RSA modulus: 2048 to 8192 bits. */
const MODULUS = { least: 256, most: 1024 };
const EXPONENT_MAX = 5;
/** Attributes of one name, and extensions. */
const PARTS_MAX = 64;

const findExtension = ({ extensions = [] }: pki.Certificate, id: string) =>
  extensions.find(({ extnID }) => extnID === id);

/** Returns what is wrong with a certificate at a time, whatever it is used for; null: nothing. */
export function findFault(certificate: pki.Certificate, at: Date): string | null {
  const { notBefore, notAfter, extensions = [] } = certificate;
  if (!(at >= notBefore.value && at <= notAfter.value))
    return `had not begun or had expired when it stamped at ${at.toISOString()}: it is valid from ${notBefore.value.toISOString()} to ${notAfter.value.toISOString()}`;
  const ids = extensions.map(({ extnID }) => extnID);
  if (new Set(ids).size < ids.length) return 'has an extension twice';
  const unknown = extensions.find(({ critical, extnID }) => critical && !KNOWN.has(extnID));
  if (unknown) return `has a critical extension that is not known here: ${unknown.extnID}`;
  return findKeyFault(certificate);
}

/** Returns what is wrong with the key of a certificate; null: nothing. */
function findKeyFault({ subjectPublicKeyInfo: { parsedKey } }: pki.Certificate): string | null {
  if (parsedKey instanceof pki.RSAPublicKey) {
    const { length } = trimInteger(parsedKey.modulus);
    const isGood = length >= MODULUS.least && length <= MODULUS.most;
    if (!isGood || trimInteger(parsedKey.publicExponent).length > EXPONENT_MAX)
      return 'has an RSA key of another size than 2048 to 8192 bits, or a large exponent';
  }
  return null;
}

const trimInteger = ({ valueBlock }: asn1.Integer): Uint8Array => {
  const bytes = valueBlock.valueHexView;
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
};

/** Returns whether a certificate has too many parts to be looked at. */
export function isOversized({ subject, issuer, ...rest }: pki.Certificate): boolean {
  const names = [subject, issuer].map(({ typesAndValues }) => typesAndValues.length);
  return [...names, rest.extensions?.length ?? 0].some((count) => count > PARTS_MAX);
}

/** Returns why a certificate may not have issued another over this number of authorities; null: it may. */
export function findIssuerFault(issuer: pki.Certificate, between: number): string | null {
  const constraints = findExtension(issuer, BASIC_CONSTRAINTS)?.parsedValue as unknown;
  if (!(constraints instanceof pki.BasicConstraints && constraints.cA))
    return 'is no certificate authority';
  const { pathLenConstraint: most } = constraints;
  // A number that is too large to be read is no bound either.
  if (typeof most === 'number' && between > most) return 'allows fewer authorities below it';
  const usage = readUsage(issuer);
  if (usage !== null && (usage & CERTIFYING) === 0) return 'may not sign certificates';
  const purposes = listPurposes(issuer);
  if (purposes && !purposes.includes(TIME_STAMPING) && !purposes.includes(ANY_PURPOSE))
    return 'is not one for time stamps';
  return null;
}

/** Returns why a certificate may not sign time stamps; null: it may. */
export function findSignerFault(signer: pki.Certificate): string | null {
  const purposes = listPurposes(signer);
  const isCritical = findExtension(signer, EXTENDED_KEY_USAGE)?.critical === true;
  if (!isCritical || purposes?.join() !== TIME_STAMPING) return 'is not one for time stamps alone';
  const usage = readUsage(signer);
  if (usage !== null && ((usage & SIGNING) === 0 || (usage & ~SIGNING) !== 0))
    return 'has a key for something else than signatures';
  return null;
}

/** The first byte of the key usage; null: there is none. */
function readUsage(certificate: pki.Certificate): number | null {
  const extension = findExtension(certificate, KEY_USAGE);
  if (!extension) return null;
  const bits: unknown = extension.parsedValue;
  return bits instanceof asn1.BitString ? (bits.valueBlock.valueHexView[0] ?? 0) : 0;
}

function listPurposes(certificate: pki.Certificate): readonly string[] | null {
  const extension = findExtension(certificate, EXTENDED_KEY_USAGE);
  if (!extension) return null;
  const usage: unknown = extension.parsedValue;
  return usage instanceof pki.ExtKeyUsage ? usage.keyPurposes : [];
}

/** Returns whether names and key ids let one certificate be the issuer of the other. */
export function mayBeIssuer(issuer: pki.Certificate, certificate: pki.Certificate): boolean {
  if (!certificate.issuer.isEqual(issuer.subject)) return false;
  const subjectId: unknown = findExtension(issuer, SUBJECT_KEY_ID)?.parsedValue;
  const authorityId: unknown = findExtension(certificate, AUTHORITY_KEY_ID)?.parsedValue;
  const wanted =
    authorityId instanceof pki.AuthorityKeyIdentifier ? authorityId.keyIdentifier : undefined;
  return !(subjectId instanceof asn1.OctetString && wanted) || subjectId.isEqual(wanted);
}

/** Returns why an algorithm of signatures is not accepted; null: it is. */
export function findAlgorithmFault(
  { algorithmId, algorithmParams }: pki.AlgorithmIdentifier,
  digest?: pki.AlgorithmIdentifier,
): string | null {
  const isStrong = (one: pki.AlgorithmIdentifier): boolean => one.algorithmId in DIGESTS;
  const hashed =
    algorithmId === RSA_PSS
      ? isStrong(new pki.RSASSAPSSParams({ schema: algorithmParams }).hashAlgorithm)
      : SIGNATURES.has(algorithmId) || (digest !== undefined && algorithmId === RSA);
  return hashed && (!digest || isStrong(digest))
    ? null
    : 'is signed in a way that is not accepted: SHA-2 with RSA, ECDSA or Ed25519 is';
}

/** The attributes that name a certificate by its hash (RFC 2634, by SHA-1; RFC 5035). */
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** Returns whether the signed attributes name this certificate first, and no other instead. */
export async function isNamed(
  { signedAttrs }: pki.SignerInfo,
  certificate: pki.Certificate,
): Promise<boolean> {
  const attributes = (signedAttrs?.attributes ?? []).filter(
    ({ type }) => type === SIGNING_CERTIFICATE || type === SIGNING_CERTIFICATE_V2,
  );
  const bytes = certificate.toSchema().toBER();
  for (const { type, values } of attributes) {
    const { digest, hash } = readName(
      values[0],
      type === SIGNING_CERTIFICATE ? 'SHA-1' : 'SHA-256',
    );
    if (digest === undefined) return false;
    const computed = Buffer.from(await crypto.subtle.digest(digest, bytes));
    if (!computed.equals(Buffer.from(hash))) return false;
  }
  return attributes.length > 0;
}

const listParts = (block: unknown): asn1.BaseBlock[] =>
  block instanceof asn1.Sequence ? (block.valueBlock.value as asn1.BaseBlock[]) : [];

/** Reads the first name: a hash, after its algorithm unless that is the usual one. */
function readName(value: unknown, usual: string): { digest: string | undefined; hash: Uint8Array } {
  const [names] = listParts(value);
  const [first, second] = listParts(listParts(names)[0]);
  const [algorithm] = listParts(first);
  const id = algorithm instanceof asn1.ObjectIdentifier ? algorithm.getValue() : null;
  const hash = id === null ? first : second;
  return {
    digest: id === null ? usual : DIGESTS[id],
    hash: hash instanceof asn1.OctetString ? hash.valueBlock.valueHexView : new Uint8Array(),
  };
}
