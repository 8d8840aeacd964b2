// Limits of policies: an action that counts only where a sum of acts, money or tokens would be passed (formats.md, 16).
import { isJsonObject, type Json, type JsonObject } from '@assay/json';
import { DECIMAL_MAX, toUpperDecimal } from './amounts/decimal.ts';
import { parseBounds } from './amounts/bounds.ts';
import type { Action } from './definition.ts';
import { findFieldProblem } from './fields.ts';
import { type HaltReach, readHalt } from './actions/halts.ts';

/** What shares one sum. */
export const LIMIT_SCOPES = ['session', 'agent', 'workspace', 'organization', 'person'] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** How long what is spent counts, in hours; `ever`: always. */
export const LIMIT_WINDOWS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, ever: null } as const;
export type LimitWindow = keyof typeof LIMIT_WINDOWS;
export const LIMIT_WINDOW_NAMES = Object.keys(LIMIT_WINDOWS) as [LimitWindow, ...LimitWindow[]];

/** Counts each act as one. */
export const ACTS = 'acts';

export interface Limit {
  /** `acts`, or the field of a number, such as `action.totalAmount`. */
  of: string;
  per: LimitScope;
  window: LimitWindow;
  /** The sum that may be reached, and not passed. */
  most: number;
}

/** An action of a policy with a limit. */
export interface LimitedAction {
  /** The id of the policy. */
  policy: string;
  /** Its place among the actions of the policy. */
  at: number;
  type: 'block' | 'flag_for_review';
  limit: Limit;
  /** What it halts as well, once it counts; null: nothing. */
  halt: HaltReach | null;
}

/** A limited action of a policy that matched. */
export interface MatchedLimit extends LimitedAction {
  /** What the decision would add, a decimal of the upper reading; null: it cannot be read, and passes the limit. */
  amount: string | null;
}

const MEMBERS = ['most', 'of', 'per', 'window'];

/** Finds the fault of the limit in the config of an action; null: none, or it has no limit. */
export function findLimitProblem(type: Action['type'], { limit }: JsonObject): string | null {
  if (limit === undefined) return null;
  if (type !== 'block' && type !== 'flag_for_review')
    return 'limit is for the actions block and flag_for_review';
  if (!isJsonObject(limit) || Object.keys(limit).sort().join() !== MEMBERS.join())
    return 'limit must have the members of, per, window and most';
  return findMemberProblem(limit);
}

function findMemberProblem({ of, per, window, most }: JsonObject): string | null {
  if (typeof of !== 'string' || (of !== ACTS && findFieldProblem(of) !== null))
    return `limit.of must be ${ACTS}, or the field of a number, such as action.totalAmount`;
  if (!LIMIT_SCOPES.includes(per as LimitScope))
    return `limit.per must be ${LIMIT_SCOPES.join(', ')}`;
  if (typeof window !== 'string' || !Object.hasOwn(LIMIT_WINDOWS, window))
    return `limit.window must be ${LIMIT_WINDOW_NAMES.join(', ')}`;
  const isExact = typeof most === 'number' && Number(toUpperDecimal(most)) === most;
  return isExact
    ? null
    : `limit.most must be a number from 0 to ${DECIMAL_MAX} of nine places at most`;
}

/** The limit in the config of an action; null: none. */
export const readLimit = ({ config }: Action): Limit | null =>
  config?.['limit'] === undefined ? null : (config['limit'] as unknown as Limit);

export function listLimited(policy: string, actions: readonly Action[]): LimitedAction[] {
  return actions.flatMap((action, at) => {
    const limit = readLimit(action);
    const type = action.type as LimitedAction['type'];
    return limit ? [{ policy, at, type, limit, halt: readHalt(action) }] : [];
  });
}

/** What a decision with this value adds; null: it cannot be read. */
export function readSpentAmount(value: Json | undefined): string | null {
  if (typeof value === 'number') return toUpperDecimal(value);
  return toUpperDecimal(parseBounds(value ?? null)?.atMost ?? NaN);
}
