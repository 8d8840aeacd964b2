// The action that an agent proposes, and the digest by which an approval is bound to it (docs/review-queue.md).
import { canonicalize } from './canonical-json.ts';
import { sha256Hex } from './chain.ts';
import type { Json } from './json.ts';

/**
 * The action in force within an `outputDecision`: what a human correction put in its place, else the agent's own.
 * `isCorrected`: the value came with a correction, so its `decision` is a human's. Null where the value is gone or was never kept.
 */
export function proposedAction(outputDecision: Json, isCorrected: boolean): Json {
  if (typeof outputDecision !== 'object' || outputDecision === null) return null;
  if (Array.isArray(outputDecision)) return null;
  const { action = null, decision = null } = outputDecision;
  return isCorrected ? (decision ?? action) : action;
}

/** As one text: a text as it is, anything else as canonical JSON. */
export function actionText(action: Json): string | null {
  return action === null || typeof action === 'string' ? action : canonicalize(action);
}

/** SHA-256 of the action's canonical JSON, as 64 hex digits; null without an action. */
export function actionDigest(action: Json): string | null {
  return action === null ? null : sha256Hex(canonicalize(action));
}
