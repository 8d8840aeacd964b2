// Applies feedback to a decision's values (document 2, section 4.6, effects): pure functions of the values in force.
import { canonicalize, type Json, type JsonObject, truncate } from '@assay/json';
import { formatAction } from '../../../domain/actions/proposed-action.ts';

/** A correction without personal data. */
export interface Correction {
  correctedDecision: Json;
  feedbackNotes: string | null;
}

export interface Approval {
  /** The caller's claim, which is not verified; hence no member's id is recorded with it. */
  claimedBy: string | null;
}

/** Characters of the correction marker; a rationale has at most one, however often the decision is corrected. */
const MARKER_MAX = 2000;

/** Members of `metadata` that record an approval; earlier versions stored an id too. */
const APPROVAL = ['approvedBy', 'approvedById', 'approvedAt'];

/** The new `outputDecision`; starts empty if none was stored. Notes of an earlier correction are dropped. */
export function toCorrectedOutput(before: Json, { correctedDecision, feedbackNotes }: Correction) {
  const { decision, action = null } = toObject(before);
  return {
    ...omitMembers(before, ['correctionNotes']),
    decision: correctedDecision,
    originalDecision: decision ?? action,
    ...(feedbackNotes !== null && { correctionNotes: feedbackNotes }),
  } satisfies JsonObject;
}

/** `ingested`: the agent's own rationale. */
export function markRationale(
  ingested: string | null,
  { correctedDecision, feedbackNotes }: Correction,
): string {
  const why = feedbackNotes ?? formatAction(correctedDecision) ?? '';
  const marker = `[HUMAN CORRECTION: ${truncate(why, MARKER_MAX)}]`;
  return ingested === null ? marker : `${marker} ${ingested}`;
}

/**
 * The new `metadata`, without any earlier approval or one that the agent claimed. `at`: null for a correction, which
 * only records its author.
 */
export function toApprovedMetadata(before: Json, approval: Approval, at: Date | null): JsonObject {
  const { claimedBy: approvedBy } = approval;
  return {
    ...omitMembers(before, APPROVAL),
    ...(approvedBy !== null && { approvedBy }),
    ...(at !== null && { approvedAt: at.toISOString() }),
  };
}

/** Whether the output has this correction already. */
export function hasCorrection(output: Json, correction: Correction): boolean {
  const { decision = null, correctionNotes = null } = toObject(output);
  return (
    canonicalize(decision) === canonicalize(correction.correctedDecision) &&
    correctionNotes === correction.feedbackNotes
  );
}

/** Whether the metadata records an approval by the same person. */
export function hasApproval(metadata: Json, { claimedBy }: Approval): boolean {
  const known = toObject(metadata);
  return typeof known['approvedAt'] === 'string' && (known['approvedBy'] ?? null) === claimedBy;
}

/** The members of an object except `names`. */
function omitMembers(value: Json, names: readonly string[]): JsonObject {
  const members = Object.entries(toObject(value));
  return Object.fromEntries(members.filter(([name]) => !names.includes(name)));
}

function toObject(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
