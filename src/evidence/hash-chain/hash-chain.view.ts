// Renders status, verification and entries of a chain (document 2, resource HashChainEntry and section 4.5).
import type { Percentiles } from '../../ledger/append/latency.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import type { BrokenReason, Verification } from '../../ledger/verify/report.ts';
import type { CoveringAnchor } from '../log/tree/anchors.service.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';

type Shown = Pick<
  LedgerEntryDocument,
  | 'organizationId'
  | 'sequence'
  | 'kind'
  | 'traceId'
  | 'prevHash'
  | 'payloadDigest'
  | 'chainHash'
  | 'createdAt'
>;

export interface ChainEntryView extends Shown {
  id: LedgerEntryDocument['_id'];
  _id: LedgerEntryDocument['_id'];
  payloadHash: string;
  /** Of the first anchor that covers the entry; null until there is one. */
  merkleRoot: string | null;
  merkleLeafIndex: number | null;
  merkleAnchorId: CoveringAnchor['anchorId'] | null;
  eidasTimestamp: CoveringAnchor['stamp'];
}

export interface ChainStatus {
  totalEntries: number;
  lastSequence: number;
  lastChainHash: string | null;
  lastEntryAt: Date | null;
  anchorCount: number;
  lastAnchorAt: Date | null;
  lastVerifiedAt: Date | null;
  lastVerificationOk: boolean | null;
  algorithm: 'sha256';
  canonicalization: 'rfc8785';
  appendLatencyP95Ms: number | null;
  appendLatency: { p50Ms: number | null; p95Ms: number | null; p99Ms: number | null };
}

export interface VerificationView extends Pick<
  Verification,
  'verified' | 'fromSequence' | 'totalChecked' | 'lastValidSequence' | 'payload' | 'completeness'
> {
  ok: boolean;
  brokenAtSequence: number | null;
  brokenReason: BrokenReason | null;
  expectedSequence?: number;
  brokenDetail: string | null;
  verifiedAt: Date;
  durationMs: number;
}

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
