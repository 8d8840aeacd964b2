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

function read(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
