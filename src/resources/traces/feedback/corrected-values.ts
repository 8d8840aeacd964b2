// What feedback makes of a decision's values (document 2, section 4.6, effects): pure functions of the values in force.
import { canonicalize } from '../../../domain/record/canonical-json.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import { actionText } from '../../../domain/record/proposed-action.ts';
import { truncate } from '../../../domain/names/truncate.ts';

/** Without personal data. */
export interface Correction {
  correctedDecision: Json;
  feedbackNotes: string | null;
}

export interface Approval {
  /** As the caller claims; nobody has proved it, so no member's id stands beside it. */
  claimedBy: string | null;
}

/** Names of the marker: a rationale holds one, however often the decision is corrected. */
const MARKER_MAX = 2000;

/** What `metadata` says of an approval; entries of earlier versions have an id too. */
const APPROVAL = ['approvedBy', 'approvedById', 'approvedAt'];

/** The new `outputDecision`; one that was not kept begins anew. Notes of a correction before are not about this one. */
export function correctedOutput(before: Json, { correctedDecision, feedbackNotes }: Correction) {
  const { decision, action = null } = objectOf(before);
  return {
    ...without(before, ['correctionNotes']),
    decision: correctedDecision,
    originalDecision: decision ?? action,
    ...(feedbackNotes !== null && { correctionNotes: feedbackNotes }),
  } satisfies JsonObject;
}

/** `ingested`: the agent's own. */
export function markedRationale(
  ingested: string | null,
  { correctedDecision, feedbackNotes }: Correction,
): string {
  const why = feedbackNotes ?? actionText(correctedDecision) ?? '';
  const marker = `[HUMAN CORRECTION: ${truncate(why, MARKER_MAX)}]`;
  return ingested === null ? marker : `${marker} ${ingested}`;
}

/**
 * The new `metadata`, where nothing stays of an approval before, nor of one that the agent claimed. `at`: null for a correction, which
 * only says who it is by.
 */
export function approvedMetadata(before: Json, approval: Approval, at: Date | null): JsonObject {
  const { claimedBy: approvedBy } = approval;
  return {
    ...without(before, APPROVAL),
    ...(approvedBy !== null && { approvedBy }),
    ...(at !== null && { approvedAt: at.toISOString() }),
  };
}

/** Whether the output is what this correction makes of one. */
export function isCorrectedBy(output: Json, correction: Correction): boolean {
  const { decision = null, correctionNotes = null } = objectOf(output);
  return (
    canonicalize(decision) === canonicalize(correction.correctedDecision) &&
    correctionNotes === correction.feedbackNotes
  );
}

/** Whether the metadata says that the same person approved. */
export function isApprovedBy(metadata: Json, { claimedBy }: Approval): boolean {
  const known = objectOf(metadata);
  return typeof known['approvedAt'] === 'string' && (known['approvedBy'] ?? null) === claimedBy;
}

/** The other members of an object. */
function without(value: Json, names: readonly string[]): JsonObject {
  const members = Object.entries(objectOf(value));
  return Object.fromEntries(members.filter(([name]) => !names.includes(name)));
}

function objectOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
