// Renders status, verification and entries of a chain (document 2, resource HashChainEntry and section 4.5).
import type { Percentiles } from '../../ledger/append/latency.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import type { Verification } from '../../ledger/verify/report.ts';
import type { CoveringAnchor } from '../log/tree/anchors.service.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';
import type { ChainEntryView, ChainStatus, VerificationView } from './hash-chain.schemas.ts';

interface StatusParts {
  head: Pick<LedgerEntryDocument, 'sequence' | 'chainHash' | 'createdAt'> | null;
  verification: Pick<ChainVerificationDocument, 'verifiedAt' | 'ok'> | null;
  /** Latency of the newest appends of this process. */
  latency: Percentiles | null;
  anchored: { anchorCount: number; lastAnchorAt: Date | null };
}

export function toChainStatus({ head, verification, latency, anchored }: StatusParts): ChainStatus {
  const { p50 = null, p95 = null, p99 = null } = latency ?? {};
  return {
    totalEntries: head?.sequence ?? 0,
    lastSequence: head?.sequence ?? 0,
    lastChainHash: head?.chainHash ?? null,
    lastEntryAt: head?.createdAt ?? null,
    anchorCount: anchored.anchorCount,
    lastAnchorAt: anchored.lastAnchorAt,
    lastVerifiedAt: verification?.verifiedAt ?? null,
    lastVerificationOk: verification?.ok ?? null,
    algorithm: 'sha256',
    canonicalization: 'rfc8785',
    appendLatencyP95Ms: p95,
    appendLatency: { p50Ms: p50, p95Ms: p95, p99Ms: p99 },
  };
}

export function toVerificationView(
  found: Verification,
  { started, verifiedAt }: { started: Date; verifiedAt: Date },
): VerificationView {
  const { verified, broken, fromSequence, totalChecked, lastValidSequence } = found;
  const { payload, completeness } = found;
  const expected = broken?.expectedSequence;
  return {
    verified,
    ok: verified,
    fromSequence,
    totalChecked,
    lastValidSequence,
    brokenAtSequence: broken?.sequence ?? null,
    brokenReason: broken?.reason ?? null,
    ...(expected !== undefined && { expectedSequence: expected }),
    brokenDetail: broken?.what ?? null,
    durationMs: verifiedAt.getTime() - started.getTime(),
    verifiedAt,
    payload,
    completeness,
  };
}

export function toChainEntryView(
  entry: LedgerEntryDocument,
  anchor: CoveringAnchor | undefined,
): ChainEntryView {
  const { _id, organizationId, sequence, kind, traceId, prevHash, payloadDigest } = entry;
  return {
    id: _id,
    _id,
    organizationId,
    sequence,
    kind,
    traceId,
    prevHash,
    payloadDigest,
    payloadHash: payloadDigest,
    chainHash: entry.chainHash,
    createdAt: entry.createdAt,
    merkleRoot: anchor?.root ?? null,
    merkleLeafIndex: anchor ? sequence - 1 : null,
    merkleAnchorId: anchor?.anchorId ?? null,
    eidasTimestamp: anchor?.stamp ?? null,
  };
}
