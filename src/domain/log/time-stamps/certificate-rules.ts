// Requirements of RFC 5280 on each certificate of a time stamp, and bounds on what is in it.
import { BitString, type Integer } from 'asn1js';
import {
  type AlgorithmIdentifier,
  type BasicConstraints,
  type Certificate,
  type ExtKeyUsage,
  RSAPublicKey,
  RSASSAPSSParams,
} from 'pkijs';

const ID = {
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  anyPurpose: '2.5.29.37.0',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  rsa: '1.2.840.113549.1.1.1',
  rsaPss: '1.2.840.113549.1.1.10',
} as const;
/** Names and key ids, usages, constraints and policies: other critical extensions are not understood. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...['2.5.29.14', '2.5.29.17', '2.5.29.32', '2.5.29.35'],
  ...[ID.keyUsage, ID.basicConstraints, ID.extendedKeyUsage],
]);
/** SHA-256, SHA-384 and SHA-512, alone and with RSA or ECDSA; Ed25519. */
const SHA_2 = /^2\.16\.840\.1\.101\.3\.4\.2\.[123]$/;
const STRONG = /^(1\.2\.840\.113549\.1\.1\.1[123]|1\.2\.840\.10045\.4\.3\.[234]|1\.3\.101\.112)$/;
/** Bits in the first byte of a key usage. */
const SIGN_BITS = 0b1100_0000;
const ISSUE_BIT = 0b0000_0100;
const RSA_BITS = { least: 2048, most: 8192 };
const EXPONENT_BITS = 40;
const PARTS_MAX = 64;

/** Returns whether an algorithm signs by SHA-2; `digest`: of a message, whose own name an RSA signature needs not repeat. */
export function isStrong(
  { algorithmId, algorithmParams }: AlgorithmIdentifier,
  digest?: AlgorithmIdentifier,
): boolean {
  if (digest && !SHA_2.test(digest.algorithmId)) return false;
  if (algorithmId === ID.rsaPss) {
    const { hashAlgorithm } = new RSASSAPSSParams({ schema: algorithmParams });
    return SHA_2.test(hashAlgorithm.algorithmId);
  }
  return STRONG.test(algorithmId) || (digest !== undefined && algorithmId === ID.rsa);
}

export const hasStrongSignature = ({ signatureAlgorithm }: Certificate): boolean =>
  isStrong(signatureAlgorithm);

/** Returns whether a name or the extensions have too many parts to be looked at. */
export const isOversized = ({ subject, issuer, extensions = [] }: Certificate): boolean =>
  Math.max(subject.typesAndValues.length, issuer.typesAndValues.length, extensions.length) >
  PARTS_MAX;

/** Returns what is wrong with any certificate of a path; null: nothing. */
export function findCertificateFault(certificate: Certificate, time: Date): string | null {
  const { notBefore, notAfter, extensions = [] } = certificate;
  if (!(time >= notBefore.value && time <= notAfter.value)) return 'was not valid at that time';
  if (new Set(extensions.map(({ extnID }) => extnID)).size < extensions.length)
    return 'has an extension twice';
  if (extensions.some(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID)))
    return 'has a critical extension that is not understood';
  const { parsedKey } = certificate.subjectPublicKeyInfo;
  return parsedKey instanceof RSAPublicKey && !isUsual(parsedKey)
    ? 'has an RSA key of an unusual size'
    : null;
}

function isUsual({ modulus, publicExponent }: RSAPublicKey): boolean {
  const bits = countBits(modulus);
  const isSized = bits >= RSA_BITS.least && bits <= RSA_BITS.most;
  return isSized && countBits(publicExponent) <= EXPONENT_BITS;
}

/** Bits in whole bytes. */
function countBits({ valueBlock: { valueHexView: bytes } }: Integer): number {
  return 8 * (bytes[0] === 0 ? bytes.length - 1 : bytes.length);
}

/** Returns why a certificate may not issue one over this number of authorities; null: it may. */
export function findIssuerFault(certificate: Certificate, between: number): string | null {
  const constraints = findParsed<BasicConstraints>(certificate, ID.basicConstraints);
  const { cA, pathLenConstraint } = constraints ?? {};
  if (cA !== true) return 'is no certificate authority';
  if (typeof pathLenConstraint === 'number' && between > pathLenConstraint)
    return 'allows fewer authorities below it';
  const usage = readKeyUsage(certificate);
  if (usage !== null && (usage & ISSUE_BIT) === 0) return 'may not sign certificates';
  const purposes = listPurposes(certificate);
  return purposes?.every((id) => id !== ID.timeStamping && id !== ID.anyPurpose)
    ? 'is not one for time stamps'
    : null;
}

/** Returns why a certificate may not sign time stamps (RFC 3161, 2.3); null: it may. */
export function findSignerFault(certificate: Certificate): string | null {
  const { extensions = [] } = certificate;
  const usages = extensions.filter(({ extnID }) => extnID === ID.extendedKeyUsage);
  const isAlone = listPurposes(certificate)?.join() === ID.timeStamping;
  if (!isAlone || usages[0]?.critical !== true) return 'is not one for time stamps alone';
  const usage = readKeyUsage(certificate);
  const isForSigning = usage === null || ((usage & SIGN_BITS) !== 0 && (usage & ~SIGN_BITS) === 0);
  return isForSigning ? null : 'has a key for something else than signatures';
}

const findParsed = <T>({ extensions = [] }: Certificate, id: string): Partial<T> | null => {
  const extension = extensions.find(({ extnID }) => extnID === id);
  return extension ? ((extension.parsedValue ?? {}) as Partial<T>) : null;
};

/** Null: there is no such extension. */
function listPurposes(certificate: Certificate): readonly string[] | null {
  const usage = findParsed<ExtKeyUsage>(certificate, ID.extendedKeyUsage);
  return usage && (usage.keyPurposes ?? []);
}

/** The first byte; null: there is no such extension. */
function readKeyUsage(certificate: Certificate): number | null {
  const bits = findParsed<BitString>(certificate, ID.keyUsage);
  if (!bits) return null;
  return bits instanceof BitString ? (bits.valueBlock.valueHexView[0] ?? 0) : 0;
}
