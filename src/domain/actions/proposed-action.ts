// The action that an agent proposes, and the digest that binds an approval to it (docs/guides/reviews.md).
import { canonicalize, type Json } from '@assay/json';
import { sha256Hex } from '../record/chain.ts';
import { commitClosedValue, deriveSalt } from '../record/commitments.ts';

/**
 * The effective action of an `outputDecision`: the one of a human correction, else the agent's own. Null when the value
 * was erased or never stored.
 * @param isCorrected whether the value came with a correction, so that its `decision` is a human's
 */
export function extractProposedAction(outputDecision: Json, isCorrected: boolean): Json {
  if (typeof outputDecision !== 'object' || outputDecision === null) return null;
  if (Array.isArray(outputDecision)) return null;
  const { action = null, decision = null } = outputDecision;
  return isCorrected ? (decision ?? action) : action;
}

/** The action as text: a string unchanged, anything else as canonical JSON. */
export function formatAction(action: Json): string | null {
  return action === null || typeof action === 'string' ? action : canonicalize(action);
}

/** SHA-256 of the action's canonical JSON, as 64 hex digits; null without an action. */
export function hashAction(action: Json): string | null {
  return action === null ? null : sha256Hex(canonicalize(action));
}

/** The name of the commitment to the action as the agent sent it, in every entry that has it. */
export const RAW_ACTION = 'rawAction';

/**
 * The salt of the commitment to the raw action. It derives from the seed of `submitted`, so it is stored nowhere and
 * goes with an erasure; it tells nothing about that seed or its other salts.
 */
export function deriveBindingSalt(submittedSeed: string): string {
  return deriveSalt(submittedSeed, `/${RAW_ACTION}`);
}

/** The name of the commitment to the action that an edited approval lets be executed, in the entry of its claim. */
export const EDITED_ACTION = 'editedAction';

/** The salt of the commitment to the edited action; see `deriveBindingSalt`. */
export function deriveEditedSalt(submittedSeed: string): string {
  return deriveSalt(submittedSeed, `/${EDITED_ACTION}`);
}

export function commitEditedAction(editedActionDigest: string, salt: string): string {
  return commitClosedValue(EDITED_ACTION, editedActionDigest, salt);
}

/** The commitment to the digest of a raw action: what an agent recomputes before it acts (docs/reference/formats.md). */
export function commitRawAction(rawActionDigest: string, salt: string): string {
  return commitClosedValue(RAW_ACTION, rawActionDigest, salt);
}
