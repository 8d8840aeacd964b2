// Signing certificates of identity providers: the rules of acceptance, and their facts.
import { X509Certificate } from 'node:crypto';

export interface CertificateFacts {
  /** PEM. */
  pem: string;
  subject: string;
  /** SHA-256 of the certificate: upper-case hex bytes separated by colons. */
  fingerprint: string;
  validFrom: Date;
  validTo: Date;
}

const MIN_RSA_BITS = 2048;

/** Base64 without PEM lines. One character class and one end keep the match linear. */
const BARE = /^[A-Za-z0-9+/\s]+={0,2}$/;

/** Wraps bare base64, as metadata and consoles show it, in PEM lines; any other text stays. */
function toPem(text: string): string {
  if (!BARE.test(text.trim())) return text;
  const lines = text.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** The facts of a certificate in which `findCertificateProblem` finds no problem. */
export function readCertificateFacts(text: string): CertificateFacts {
  const certificate = new X509Certificate(toPem(text));
  return {
    pem: certificate.toString(),
    subject: certificate.subject.replaceAll('\n', ', '),
    fingerprint: certificate.fingerprint256,
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
  };
}

/** Why a text is no certificate to be trusted at `now`, phrased to follow its name; null: it is acceptable. */
export function findCertificateProblem(text: string, now: Date): string | null {
  const pem = toPem(text);
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1)
    return 'must be one certificate in PEM format';
  const certificate = parseCertificate(pem);
  if (!certificate) return 'is not an X.509 certificate';
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa')
    return 'has a key that is not RSA; only RSA signatures are accepted';
  if ((asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
    return `has a key of fewer than ${MIN_RSA_BITS} bits`;
  return new Date(certificate.validTo) <= now
    ? `expired on ${new Date(certificate.validTo).toISOString()}`
    : null;
}

/** Leaves out certificates that issued another of the list: of a chain, in any order, the signing one remains. */
export function omitIssuers(texts: readonly string[]): string[] {
  const certificates = texts.map((text) => parseCertificate(toPem(text)));
  return texts.filter((_, index) => {
    const issuer = certificates[index];
    return !certificates.some((other) => issuer && other && hasIssued(issuer, other));
  });
}

/** Verifying with a larger issuer key takes milliseconds. */
const MAX_ISSUER_BITS = 8192;

/** A self-issued certificate has no other issuer, though its renewal may have the same name. */
const hasIssued = (issuer: X509Certificate, other: X509Certificate): boolean =>
  other.issuer === issuer.subject &&
  other.issuer !== other.subject &&
  (issuer.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_ISSUER_BITS &&
  other.verify(issuer.publicKey);

function parseCertificate(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem);
    // Throws for a key type that OpenSSL does not know.
    return certificate.publicKey.type === 'public' ? certificate : null;
  } catch {
    return null;
  }
}
