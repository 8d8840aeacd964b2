// Marks held and blocked decisions that are alike: stopped by the same policy, for the same reason, at the same tools.
import { createHmac } from 'node:crypto';
import type { Json } from '@assay/json';
import { listCalls } from '@assay/policy';

const MARK_LENGTH = 22;
/** Tools of one decision that tell it apart. */
const TOOLS_MAX = 8;

export const ALIKE_MARK = /^[\w-]{22}$/;

/** What a decision calls; an action that is a text names no tool. */
export function listCalledTools(output: Json): string[] {
  const { action, toolCalls = [] } = Object(output) as { action?: Json; toolCalls?: Json };
  const calls = typeof action === 'string' ? { toolCalls } : output;
  const names = listCalls(calls).filter((name) => name !== null);
  return [...new Set(names)].sort().slice(0, TOOLS_MAX);
}

/** Why a decision was stopped, and at what. */
interface StopCause {
  policy: { name: string; reason: string } | null;
  /** A reason that says how much of a limit is left is another one each time. */
  isLimit: boolean;
  output: Json;
}

/** A keyed digest, from which none of it can be read. `secret`: that of the organisation's effects. */
export function deriveAlikeMark(secret: string, { policy, isLimit, output }: StopCause): string {
  const reason = isLimit ? null : policy?.reason;
  const text = JSON.stringify(['alike', policy?.name, reason, listCalledTools(output)]);
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, MARK_LENGTH);
}
