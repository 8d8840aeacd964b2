// The path from the certificate of an authority to a trusted root: each certificate once, and few signatures.
import type { X509Certificate } from 'node:crypto';
import type { Certificate } from 'pkijs';
import { findCertificateFault, findIssuerFault, hasStrongSignature } from './certificate-rules.ts';

/** Certificates of a path, the signer and the root included. */
const LENGTH_MAX = 10;
/** Signatures that are checked for one path. */
const CHECKS_MAX = 64;

/** A certificate, parsed twice: OpenSSL checks names and signatures, and the other shows extensions. */
export interface ParsedCertificate {
  x509: X509Certificate;
  parts: Certificate;
}

interface Step {
  at: ParsedCertificate;
  length: number;
  /** Intermediate authorities so far, but for those that issued themselves. */
  authorities: number;
}

/** Where a path may lead. */
export interface PathSources {
  given: readonly ParsedCertificate[];
  roots: readonly ParsedCertificate[];
  time: Date;
}

/** Returns why no path leads to a root; null: one does. Breadth first, since a short path passes more bounds. */
export function findPathFault(
  signer: ParsedCertificate,
  { given, roots, time }: PathSources,
): string | null {
  const unused = new Set([...roots, ...given]);
  const steps: Step[] = [{ at: signer, length: 1, authorities: 0 }];
  let checks = 0;
  let why = '';
  for (const { at, length, authorities } of steps) {
    if (length === LENGTH_MAX) continue;
    if (!hasStrongSignature(at.parts)) {
      why ||= `: ${describeSubject(at)} is not signed with SHA-2`;
      continue;
    }
    for (const issuer of unused) {
      if (!at.x509.checkIssued(issuer.x509)) continue;
      const fault =
        findCertificateFault(issuer.parts, time) ?? findIssuerFault(issuer.parts, authorities);
      if (fault !== null) {
        why ||= `: ${describeSubject(issuer)} ${fault}`;
        continue;
      }
      if (++checks > CHECKS_MAX) return 'too many certificates could have issued it';
      if (!at.x509.verify(issuer.x509.publicKey)) continue;
      if (roots.includes(issuer)) return null;
      unused.delete(issuer);
      const own = issuer.x509.subject === issuer.x509.issuer ? 0 : 1;
      steps.push({ at: issuer, length: length + 1, authorities: authorities + own });
    }
  }
  return `the certificate leads to none of the root certificates${why}`;
}

/** Returns the subject in one line. */
export const describeSubject = ({ x509 }: ParsedCertificate): string =>
  x509.subject.split('\n').join(', ');
