// The path from the certificate of a time stamp to a given root, in few steps: each certificate once, each signature once.
import type { Certificate } from 'pkijs';
import {
  findAlgorithmFault,
  findFault,
  findIssuerFault,
  mayBeIssuer,
} from './certificate-rules.ts';
import { describeName } from './distinguished-name.ts';

/** Certificates of a path, the signer and the root included. */
const PATH_MAX = 10;
/** Signatures that are checked for one path. */
const CHECKS_MAX = 64;

/** Where a path is looked for. */
export interface PathQuestion {
  /** The certificates that came with the stamp. */
  given: readonly Certificate[];
  roots: readonly Certificate[];
  /** When all of the path must be valid. */
  at: Date;
}

/** A certificate on the way up. */
interface Step {
  certificate: Certificate;
  /** Authorities below it that have not issued themselves, itself included. */
  authorities: number;
  length: number;
}

/** Returns why no path leads from a certificate to a root; null: one does. The shortest is found first. */
export async function findPathFault(
  signer: Certificate,
  { given, roots, at }: PathQuestion,
): Promise<string | null> {
  const left = new Set([...roots, ...given.filter((one) => one !== signer)]);
  const steps: Step[] = [{ certificate: signer, authorities: 0, length: 1 }];
  const reasons = new Set<string>();
  let checks = 0;
  for (const { certificate, authorities, length } of steps) {
    const weakness = findAlgorithmFault(certificate.signatureAlgorithm);
    if (weakness !== null) reasons.add(`${describeName(certificate.subject)} ${weakness}`);
    if (weakness !== null) continue;
    for (const issuer of left) {
      if (!mayBeIssuer(issuer, certificate)) continue;
      const fault = findFault(issuer, at) ?? findIssuerFault(issuer, authorities);
      if (fault !== null) reasons.add(`${describeName(issuer.subject)} ${fault}`);
      if (fault !== null) continue;
      if (++checks > CHECKS_MAX) return 'leads through too many certificates';
      if (!(await hasIssued(issuer, certificate))) continue;
      if (roots.includes(issuer)) return null;
      left.delete(issuer);
      const own = issuer.subject.isEqual(issuer.issuer) ? 0 : 1;
      if (length + 1 < PATH_MAX)
        steps.push({
          certificate: issuer,
          authorities: authorities + own,
          length: length + 1,
        });
    }
  }
  const [reason] = reasons;
  return `leads to none of the root certificates given${reason === undefined ? '' : `: ${reason}`}`;
}

/** A key or a signature that cannot be read is none. */
async function hasIssued(issuer: Certificate, certificate: Certificate): Promise<boolean> {
  try {
    return await certificate.verify(issuer);
  } catch {
    return false;
  }
}
