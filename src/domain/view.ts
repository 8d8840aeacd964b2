// The views that are digested: a closed set of members for every kind of entry, nothing personal in clear (docs/formats.md).
import { canonicalize } from './canonical-json.ts';
import type { Position } from './chain.ts';
import type { Json, JsonObject } from './json.ts';
import { faultOf, isId } from './view-members.ts';

export type TraceStatus = 'success' | 'approved' | 'flagged' | 'escalated' | 'pending' | 'blocked';

export interface Actor {
  kind: 'user' | 'workspaceKey' | 'agentKey' | 'system';
  /** 24 hex digits. */
  id: string | null;
}

/** What every view holds. Ids are 24 hex digits. */
interface Common {
  organizationId: string;
  workspaceId: string | null;
  actor: Actor;
  /** Commitments (hex) of the values that are present, by name. */
  commitments: Readonly<Record<string, string>>;
}

/** What every later fact about one decision holds. */
interface LaterFact extends Common {
  traceId: string;
  /** The entry that ingested the decision. */
  subject: Position;
  /** The newest earlier entry about the decision; the subject itself for the first change. */
  after: Position;
}

/** Resulting values of a change; null: unchanged. */
export interface Change {
  status: TraceStatus | null;
  humanOverride: boolean | null;
}

export interface TraceFacts extends Common {
  traceId: string;
  /** Id of the registered agent; null for a free-text one, which stands in the commitment `origin`. */
  agent: string | null;
  schemaVersion: string;
  status: TraceStatus;
  engineVersion: string;
  /** hex SHA-256. */
  policySetDigest: string;
  scrubVersion: string;
  /** Names that were committed to and not kept. */
  unstored: readonly string[];
}

export interface CorrectionFacts extends LaterFact {
  action: 'approve' | 'correct';
  set: Change;
}

export interface ReviewFacts extends LaterFact {
  reviewId: string;
  decision: 'approve' | 'reject';
  set: Change;
}

export interface StatusFacts extends LaterFact {
  set: Change;
}

export interface ComplianceFacts extends Common {
  /** The newest earlier entry about the clause; null for the first. */
  after: Position | null;
  framework: string;
  clauseId: string;
  catalogVersion: string;
  status: 'covered' | 'partial' | 'gap' | 'not-applicable';
}

/** Names destroyed in one entry. */
export interface Erased {
  sequence: number;
  names: readonly string[];
}

export interface ErasureFacts extends LaterFact {
  cause: 'request' | 'bulk-delete' | 'purge' | 'retention';
  erased: readonly Erased[];
}

export interface AuditFacts extends Common {
  auditId: string;
  action: string;
  status: 'success' | 'failure';
  resource: string | null;
  /** Kept in clear only when it is an id; anything else belongs into a commitment. */
  resourceId: string | null;
}

export type TraceView = { v: 1; kind: 'trace' } & TraceFacts;
export type CorrectionView = { v: 1; kind: 'correction' } & CorrectionFacts;
export type ReviewView = { v: 1; kind: 'review' } & ReviewFacts;
export type StatusView = { v: 1; kind: 'status' } & StatusFacts;
export type ComplianceView = { v: 1; kind: 'compliance'; traceId: string } & ComplianceFacts;
export type ErasureView = { v: 1; kind: 'erasure' } & ErasureFacts;
export type AuditView = { v: 1; kind: 'audit'; traceId: null } & AuditFacts;
export type View = TraceView | CorrectionView | ReviewView | StatusView | ComplianceView | ErasureView | AuditView;

/** The view of an ingested decision. @throws TypeError when a member is not what it may be; so do all builders. */
export function traceView(facts: TraceFacts): string {
  return viewText({ v: 1, kind: 'trace', ...facts, unstored: facts.unstored.toSorted() });
}

/** The view of a human verdict that came by feedback. */
export function correctionView(facts: CorrectionFacts): string {
  return viewText({ v: 1, kind: 'correction', ...facts });
}

/** The view of a reviewer's verdict. */
export function reviewView(facts: ReviewFacts): string {
  return viewText({ v: 1, kind: 'review', ...facts });
}

/** The view of a status set by hand. */
export function statusView(facts: StatusFacts): string {
  return viewText({ v: 1, kind: 'status', ...facts });
}

/** The view of a clause attestation. */
export function complianceView(facts: ComplianceFacts): string {
  return viewText({ v: 1, kind: 'compliance', traceId: complianceTraceId(facts.framework, facts.clauseId), ...facts });
}

/** The view of an erasure. */
export function erasureView(facts: ErasureFacts): string {
  const erased = facts.erased.map(({ sequence, names }) => ({ sequence, names: names.toSorted() }));
  return viewText({ v: 1, kind: 'erasure', ...facts, erased: erased.sort((a, b) => a.sequence - b.sequence) });
}

/** The view of an administrative event. A `resourceId` that is no id is left out. */
export function auditView(facts: AuditFacts): string {
  const resourceId = facts.resourceId !== null && isId(facts.resourceId) ? facts.resourceId : null;
  return viewText({ v: 1, kind: 'audit', traceId: null, ...facts, resourceId });
}

/** What stands for the trace id in entries about a clause. */
export function complianceTraceId(framework: string, clauseId: string): string {
  return `compliance:${framework}:${clauseId}`;
}

/** Reads a stored view: typed, or the reason why it is none of version 1. */
export function parseView(text: string): { view: View } | { reason: string } {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
    if (canonicalize(value) !== text) return { reason: 'not canonical JSON' };
  } catch {
    return { reason: 'not JSON' };
  }
  const reason = faultOf(value);
  return reason === null ? { view: value as unknown as View } : { reason };
}

function viewText(view: View): string {
  const value = view as unknown as JsonObject;
  const fault = faultOf(value);
  if (fault !== null) throw new TypeError(`A ${view.kind} view: ${fault}`);
  return canonicalize(value);
}
