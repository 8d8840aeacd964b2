// The canonical payloads of entries, stored as `view`: fixed members, no clear personal data (formats.md).
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import type { GrantEntry } from '../grants/grant-use.ts';
import type { HaltScope, HaltState } from '../halt/halt.ts';
import type { Position } from './chain.ts';
import { deriveAttestedId, isGeneratedId, findPayloadProblem } from './payload-members.ts';

export const TRACE_STATUSES = [
  'success',
  'approved',
  'flagged',
  'escalated',
  'pending',
  'blocked',
] as const;
export type TraceStatus = (typeof TRACE_STATUSES)[number];

export interface Actor {
  kind: 'user' | 'workspaceKey' | 'agentKey' | 'system';
  /** 24 hex digits. */
  id: string | null;
}

/** Members of every payload. Ids are 24 hex digits. */
interface Common {
  organizationId: string;
  workspaceId: string | null;
  actor: Actor;
  /** Commitments (hex) of the present values by name. */
  commitments: Readonly<Record<string, string>>;
}

/** Members of every amendment of a decision. */
interface Amendment extends Common {
  traceId: string;
  /** The entry that ingested the decision. */
  subject: Position;
  /** The newest earlier entry about the decision; the subject itself for the first amendment. */
  after: Position;
}

/** The values that an amendment sets; null: unchanged. */
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
  /** Names of values that were committed to and not stored. */
  unstored: readonly string[];
}

export interface CorrectionFacts extends Amendment {
  action: 'approve' | 'correct';
  set: Change;
}

export interface ReviewFacts extends Amendment {
  reviewId: string;
  decision: 'approve' | 'reject';
  set: Change;
}

/** A person approves, where others have to approve as well. It changes nothing by itself. */
export interface VoteFacts extends Amendment {
  reviewId: string;
  decision: 'approve';
}

export const EXECUTION_STATES = ['claimed', 'succeeded', 'failed', 'unknown'] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** The agent claims an approved action, or it is said how its execution ended. */
export interface ExecutionFacts extends Amendment {
  executionId: string;
  state: ExecutionState;
  /** ISO 8601; of a claim only. */
  leaseUntil: string | null;
}

export interface StatusFacts extends Amendment {
  set: Change;
}

/** Members of every attestation of a record. */
interface Attestation extends Common {
  /** The newest earlier entry about the record; null for the first. */
  after: Position | null;
}

/** The degree to which an organisation meets a clause. */
export interface ComplianceFacts extends Attestation {
  framework: string;
  clauseId: string;
  catalogVersion: string;
  status: 'covered' | 'partial' | 'gap' | 'not-applicable';
}

/** An impact assessment was submitted or approved. */
export interface AssessmentFacts extends Attestation {
  assessmentId: string;
  status: 'review' | 'approved';
  /** Its anchor: hex SHA-256 of its contents. */
  digest: string;
}

/** A report due to a regulator was completed. */
export interface CheckpointFacts extends Attestation {
  incidentId: string;
  regulator: string;
  /** Its label on the clock, for example `final`. */
  checkpoint: string;
  /** The version of the rules that set the deadline. */
  rulesVersion: string;
  /** hex SHA-256 of the record of its completion. */
  digest: string;
}

/** A manifest was signed or revoked. */
export interface ManifestFacts extends Attestation {
  manifestId: string;
  status: 'issued' | 'revoked';
  /** hex SHA-256 of the signature's text. */
  digest: string;
}

/** Decisions were erased on request. */
export interface ErasureCertificateFacts extends Attestation {
  erasureId: string;
  /** hex SHA-256 of the certificate's text. */
  digest: string;
}

/** An agent, or whatever else is the target, was stopped or may go on. */
export interface HaltFacts extends Attestation {
  scope: HaltScope;
  /** Id or keyed digest. */
  target: string;
  state: HaltState;
}

export const CREDENTIAL_STATES = ['enrolled', 'confirmed', 'revoked'] as const;
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/** A person's passkey was enrolled, counts from now on, or does not count any more. */
export interface CredentialFacts extends Attestation {
  /** hex SHA-256 of the raw id. */
  credentialId: string;
  userId: string;
  status: CredentialState;
  /** hex SHA-256 of the canonical public key. */
  digest: string;
}

/** A standing grant was given, or has ended. */
export interface GrantFacts extends Attestation, GrantEntry {}

/** The names of the destroyed values of one entry. */
export interface ErasedNames {
  sequence: number;
  names: readonly string[];
}

export interface ErasureFacts extends Amendment {
  cause: 'request' | 'bulk-delete' | 'purge' | 'retention';
  erased: readonly ErasedNames[];
}

export interface AuditPayloadFacts extends Common {
  auditId: string;
  action: string;
  status: 'success' | 'failure';
  resource: string | null;
  /** Stands in clear only when it is an id; anything else belongs in a commitment. */
  resourceId: string | null;
}

export type TracePayload = { v: 1; kind: 'trace' } & TraceFacts;
export type CorrectionPayload = { v: 1; kind: 'correction' } & CorrectionFacts;
export type ReviewPayload = { v: 1; kind: 'review' } & ReviewFacts;
export type VotePayload = { v: 1; kind: 'vote' } & VoteFacts;
export type ExecutionPayload = { v: 1; kind: 'execution' } & ExecutionFacts;
export type StatusPayload = { v: 1; kind: 'status' } & StatusFacts;
export type AttestationFacts =
  | ({ kind: 'compliance' } & ComplianceFacts)
  | ({ kind: 'assessment' } & AssessmentFacts)
  | ({ kind: 'checkpoint' } & CheckpointFacts)
  | ({ kind: 'manifest' } & ManifestFacts)
  | ({ kind: 'certificate' } & ErasureCertificateFacts)
  | ({ kind: 'halt' } & HaltFacts)
  | ({ kind: 'credential' } & CredentialFacts)
  | ({ kind: 'grant' } & GrantFacts);
export type AttestationPayload = { v: 1; traceId: string } & AttestationFacts;
export type ErasurePayload = { v: 1; kind: 'erasure' } & ErasureFacts;
export type AuditPayload = { v: 1; kind: 'audit'; traceId: null } & AuditPayloadFacts;
export type Payload =
  | TracePayload
  | CorrectionPayload
  | ReviewPayload
  | VotePayload
  | StatusPayload
  | ExecutionPayload
  | AttestationPayload
  | ErasurePayload
  | AuditPayload;

/** The payload of an ingested decision. Like all builders here: @throws TypeError when a member is malformed */
export function createTracePayload(facts: TraceFacts): string {
  return toPayloadText({ v: 1, kind: 'trace', ...facts, unstored: facts.unstored.toSorted() });
}

/** The payload of a correction received as feedback. */
export function createCorrectionPayload(facts: CorrectionFacts): string {
  return toPayloadText({ v: 1, kind: 'correction', ...facts });
}

/** The payload of a reviewer's verdict. */
export function createReviewPayload(facts: ReviewFacts): string {
  return toPayloadText({ v: 1, kind: 'review', ...facts });
}

/** The payload of one approval of several. */
export function createVotePayload(facts: VoteFacts): string {
  return toPayloadText({ v: 1, kind: 'vote', ...facts });
}

/** The payload of a status set by a user. */
export function createStatusPayload(facts: StatusFacts): string {
  return toPayloadText({ v: 1, kind: 'status', ...facts });
}

/** The payload of a claim or of an outcome. */
export function createExecutionPayload(facts: ExecutionFacts): string {
  return toPayloadText({ v: 1, kind: 'execution', ...facts });
}

/** Commitments of which neither value nor digest is ever kept; their salts derive from the seed of `submitted`. */
const NEVER_KEPT = ['editedAction', 'rawAction'];

/** Names of the values that an entry committed to without storing them. */
export function listUnstored(payload: Payload): readonly string[] {
  return payload.kind === 'trace'
    ? payload.unstored
    : NEVER_KEPT.filter((name) => Object.hasOwn(payload.commitments, name));
}

/** The payload of an attestation. */
export function createAttestationPayload(facts: AttestationFacts): string {
  return toPayloadText({ v: 1, traceId: deriveAttestedId(facts.kind, facts), ...facts });
}

/** The payload of an erasure. */
export function createErasurePayload(facts: ErasureFacts): string {
  const erased = facts.erased.map(({ sequence, names }) => ({ sequence, names: names.toSorted() }));
  return toPayloadText({
    v: 1,
    kind: 'erasure',
    ...facts,
    erased: erased.sort((a, b) => a.sequence - b.sequence),
  });
}

/** The payload of an administrative event. A `resourceId` that is not an id is left out. */
export function createAuditPayload(facts: AuditPayloadFacts): string {
  const resourceId =
    facts.resourceId !== null && isGeneratedId(facts.resourceId) ? facts.resourceId : null;
  return toPayloadText({ v: 1, kind: 'audit', traceId: null, ...facts, resourceId });
}

/** Parses a stored payload; `reason` says why it is not one of version 1. */
export function parsePayload(text: string): { payload: Payload } | { reason: string } {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
    if (canonicalize(value) !== text) return { reason: 'not canonical JSON' };
  } catch {
    return { reason: 'not JSON' };
  }
  const reason = findPayloadProblem(value);
  return reason === null ? { payload: value as unknown as Payload } : { reason };
}

function toPayloadText(payload: Payload): string {
  const value = payload as unknown as JsonObject;
  const problem = findPayloadProblem(value);
  if (problem !== null) throw new TypeError(`Invalid ${payload.kind} payload: ${problem}`);
  return canonicalize(value);
}
