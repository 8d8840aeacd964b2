// Erasure on request: the digest acknowledged before it, and the certificate issued after it (formats.md).
import { canonicalize, canonicalizeObject } from '@assay/json';
import { type Position, sha256Hex } from '../record/chain.ts';
import type { ErasedNames } from '../record/payload.ts';

/** A decision before its erasure. */
export interface ErasureSubject {
  traceId: string;
  /** The newest entry about the decision. */
  newest: Position;
  /** The values that are still stored, grouped by entry. */
  kept: readonly ErasedNames[];
}

/** The entry that records which values of a decision were erased. */
export interface Tombstone {
  traceId: string;
  sequence: number;
  chainHash: string;
}

export interface CertifiedErasure {
  organizationId: string;
  erasureId: string;
  impactDigest: string;
  executedAt: string;
  tombstones: readonly Tombstone[];
}

/** Changes with every stored value and with every entry about one of the decisions. 64 hex digits. */
export function computeImpactDigest(
  organizationId: string,
  subjects: readonly ErasureSubject[],
): string {
  const decisions = subjects.toSorted(compareTraceIds).map(({ traceId, newest, kept }) => ({
    traceId,
    newest: { sequence: newest.sequence, chainHash: newest.chainHash },
    kept: kept
      .map(({ sequence, names }) => ({ sequence, names: names.toSorted() }))
      .toSorted((a, b) => a.sequence - b.sequence),
  }));
  return sha256Hex(canonicalizeObject({ organizationId, decisions }));
}

/** The canonical text of a certificate, which is signed. */
export function toCertificateText(erasure: CertifiedErasure): string {
  const { organizationId, erasureId, impactDigest: digest, executedAt } = erasure;
  const tombstones = erasure.tombstones
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(({ traceId, sequence, chainHash }) => ({ traceId, sequence, chainHash }));
  const { sequence: first = null } = tombstones[0] ?? {};
  const { sequence: last = null } = tombstones.at(-1) ?? {};
  return canonicalize({
    format: 'assay-erasure-certificate',
    version: 1,
    organizationId,
    erasureId,
    impactDigest: digest,
    executedAt,
    decisions: tombstones.length,
    firstSequence: first,
    lastSequence: last,
    tombstonesDigest: sha256Hex(canonicalizeObject(tombstones)),
  });
}

const compareTraceIds = (a: ErasureSubject, b: ErasureSubject): number =>
  a.traceId < b.traceId ? -1 : Number(a.traceId > b.traceId);
