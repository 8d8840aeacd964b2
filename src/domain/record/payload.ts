// The views that are digested: a closed set of members for every kind of entry, nothing personal in clear (docs/formats.md).
import { canonicalize } from './canonical-json.ts';
import type { Position } from './chain.ts';
import type { Json, JsonObject } from './json.ts';
import { faultOf, isId } from './payload-members.ts';

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

export interface AuditPayloadFacts extends Common {
  auditId: string;
  action: string;
  status: 'success' | 'failure';
  resource: string | null;
  /** Kept in clear only when it is an id; anything else belongs into a commitment. */
  resourceId: string | null;
}

export type TracePayload = { v: 1; kind: 'trace' } & TraceFacts;
export type CorrectionPayload = { v: 1; kind: 'correction' } & CorrectionFacts;
export type ReviewPayload = { v: 1; kind: 'review' } & ReviewFacts;
export type StatusPayload = { v: 1; kind: 'status' } & StatusFacts;
export type CompliancePayload = { v: 1; kind: 'compliance'; traceId: string } & ComplianceFacts;
export type ErasurePayload = { v: 1; kind: 'erasure' } & ErasureFacts;
export type AuditPayload = { v: 1; kind: 'audit'; traceId: null } & AuditPayloadFacts;
export type Payload =
  | TracePayload
  | CorrectionPayload
  | ReviewPayload
  | StatusPayload
  | CompliancePayload
  | ErasurePayload
  | AuditPayload;

/** The view of an ingested decision. @throws TypeError when a member is not what it may be; so do all builders. */
export function tracePayload(facts: TraceFacts): string {
  return viewText({ v: 1, kind: 'trace', ...facts, unstored: facts.unstored.toSorted() });
}

/** The view of a human verdict that came by feedback. */
export function correctionPayload(facts: CorrectionFacts): string {
  return viewText({ v: 1, kind: 'correction', ...facts });
}

/** The view of a reviewer's verdict. */
export function reviewPayload(facts: ReviewFacts): string {
  return viewText({ v: 1, kind: 'review', ...facts });
}

/** The view of a status set by hand. */
export function statusPayload(facts: StatusFacts): string {
  return viewText({ v: 1, kind: 'status', ...facts });
}

/** The view of a clause attestation. */
export function compliancePayload(facts: ComplianceFacts): string {
  return viewText({
    v: 1,
    kind: 'compliance',
    traceId: complianceTraceId(facts.framework, facts.clauseId),
    ...facts,
  });
}

/** The view of an erasure. */
export function erasurePayload(facts: ErasureFacts): string {
  const erased = facts.erased.map(({ sequence, names }) => ({ sequence, names: names.toSorted() }));
  return viewText({
    v: 1,
    kind: 'erasure',
    ...facts,
    erased: erased.sort((a, b) => a.sequence - b.sequence),
  });
}

/** The view of an administrative event. A `resourceId` that is no id is left out. */
export function auditPayload(facts: AuditPayloadFacts): string {
  const resourceId = facts.resourceId !== null && isId(facts.resourceId) ? facts.resourceId : null;
  return viewText({ v: 1, kind: 'audit', traceId: null, ...facts, resourceId });
}

/** What stands for the trace id in entries about a clause. */
export function complianceTraceId(framework: string, clauseId: string): string {
  return `compliance:${framework}:${clauseId}`;
}

/** Reads a stored view: typed, or the reason why it is none of version 1. */
export function parsePayload(text: string): { view: Payload } | { reason: string } {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
    if (canonicalize(value) !== text) return { reason: 'not canonical JSON' };
  } catch {
    return { reason: 'not JSON' };
  }
  const reason = faultOf(value);
  return reason === null ? { view: value as unknown as Payload } : { reason };
}

function viewText(view: Payload): string {
  const value = view as unknown as JsonObject;
  const fault = faultOf(value);
  if (fault !== null) throw new TypeError(`A ${view.kind} view: ${fault}`);
  return canonicalize(value);
}
