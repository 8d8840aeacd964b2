// Halts of policies: an action that blocks may stop the session or the agent as well (formats.md, section 15).
import type { JsonObject } from '@assay/json';
import type { Action } from '../definition.ts';

/** What is halted, the widest first. */
export const HALT_REACHES = ['agent', 'session'] as const;
export type HaltReach = (typeof HALT_REACHES)[number];

/** Finds the fault of the halt in the config of an action; null: none, or it halts nothing. */
export function findHaltProblem(type: Action['type'], { halt }: JsonObject): string | null {
  if (halt === undefined) return null;
  if (type !== 'block') return 'halt is for the action block';
  return HALT_REACHES.includes(halt as HaltReach) ? null : 'halt must be session or agent';
}

/** What an action halts as well; null: nothing. */
export function readHalt({ type, config }: Action): HaltReach | null {
  const halt = config?.['halt'];
  if (type !== 'block') return null;
  return HALT_REACHES.find((reach) => reach === halt) ?? null;
}

/** The widest of several; null: none halts. */
export const joinReaches = (reaches: readonly (HaltReach | null)[]): HaltReach | null =>
  HALT_REACHES.find((reach) => reaches.includes(reach)) ?? null;
