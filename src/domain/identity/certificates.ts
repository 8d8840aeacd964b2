// Signing certificates of identity providers: which ones are accepted, and their facts.
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

/** One class and one end, so that no text takes more than one look. */
const BARE = /^[A-Za-z0-9+/\s]+={0,2}$/;

/** PEM, also of the base64 alone, as metadata and consoles show it. */
function pemOf(text: string): string {
  if (!BARE.test(text.trim())) return text;
  const lines = text.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** The facts of a certificate that `certificateProblem` accepts. */
export function certificateFacts(text: string): CertificateFacts {
  const certificate = new X509Certificate(pemOf(text));
  return {
    pem: certificate.toString(),
    subject: certificate.subject.replaceAll('\n', ', '),
    fingerprint: certificate.fingerprint256,
    validFrom: new Date(certificate.validFrom),
    validTo: new Date(certificate.validTo),
  };
}

/** Why a text is not a certificate that can be trusted at `now`, as a text that follows its name; null: it is one. */
export function certificateProblem(text: string, now: Date): string | null {
  const pem = pemOf(text);
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1)
    return 'must be one certificate in PEM format';
  const certificate = read(pem);
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

/** The certificates of one key without those that issued another of them: in a chain the one whose key signs, in whatever order. */
export function withoutIssuers(texts: readonly string[]): string[] {
  const certificates = texts.map((text) => read(pemOf(text)));
  return texts.filter((_, index) => {
    const issuer = certificates[index];
    return !certificates.some((other) => issuer && other && hasIssued(issuer, other));
  });
}

/** Above it a verification takes milliseconds. */
const MAX_ISSUER_BITS = 8192;

/** A certificate that names itself as its issuer has no other one, though a renewed one may have the same name. */
const hasIssued = (issuer: X509Certificate, other: X509Certificate): boolean =>
  other.issuer === issuer.subject &&
  other.issuer !== other.subject &&
  (issuer.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_ISSUER_BITS &&
  other.verify(issuer.publicKey);

function read(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem);
    // Throws for a kind of key that OpenSSL does not know.
    return certificate.publicKey.type === 'public' ? certificate : null;
  } catch {
    return null;
  }
}
