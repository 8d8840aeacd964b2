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
export function findPathFault(signer: ParsedCertificate, sources: PathSources): string | null {
  const { given, roots } = sources;
  const unused = new Set([...roots, ...given]);
  const steps: Step[] = [{ at: signer, length: 1, authorities: 0 }];
  let checks = 0;
  let why = '';
  for (const step of steps) {
    if (step.length === LENGTH_MAX) continue;
    for (const issuer of unused) {
      if (!step.at.x509.checkIssued(issuer.x509)) continue;
      const fault = findStepFault(step, issuer, sources.time);
      if (fault !== null) {
        why ||= `: ${fault}`;
        continue;
      }
      if (++checks > CHECKS_MAX) return 'too many certificates could have issued it';
      if (!step.at.x509.verify(issuer.x509.publicKey)) continue;
      if (roots.includes(issuer)) return null;
      unused.delete(issuer);
      steps.push(createStep(step, issuer));
    }
  }
  return `the certificate leads to none of the root certificates${why}`;
}

/** Returns why one certificate may not stand above the other; null: it may. */
function findStepFault(
  { at, authorities }: Step,
  issuer: ParsedCertificate,
  time: Date,
): string | null {
  if (!hasStrongSignature(at.parts)) return `${describeSubject(at)} is not signed with SHA-2`;
  const fault =
    findCertificateFault(issuer.parts, time) ?? findIssuerFault(issuer.parts, authorities);
  return fault === null ? null : `${describeSubject(issuer)} ${fault}`;
}

function createStep({ length, authorities }: Step, at: ParsedCertificate): Step {
  const own = at.x509.subject === at.x509.issuer ? 0 : 1;
  return { at, length: length + 1, authorities: authorities + own };
}

/** Returns the subject in one line. */
export const describeSubject = ({ x509 }: ParsedCertificate): string =>
  x509.subject.split('\n').join(', ');
