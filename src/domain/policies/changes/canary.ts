// A canary: a change of a policy that judges a share of the decisions at first, drawn by chance and again by anybody.
import { hash } from 'node:crypto';
import { sameJson } from '../condition.ts';
import type { PolicyDefinition } from '../definition.ts';
import type { JsonObject } from '../../record/json.ts';
import type { Arm } from './sequential-test.ts';

export const CANARY_STATES = ['running', 'promoted', 'rolled_back', 'superseded'] as const;
export type CanaryState = (typeof CANARY_STATES)[number];

/** Shares of the decisions that a canary may have. */
export const canaryShares = { least: 0.01, most: 0.99 } as const;

/** Nobody but the server chooses a `traceId`, so nobody chooses the arm. */
export function armOf({ id, share }: { id: string; share: number }, traceId: string): Arm {
  const drawn = hash('sha256', `${id}/${traceId}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
  return drawn < share ? 'canary' : 'control';
}

type Judging = Pick<PolicyDefinition, 'priority' | 'conditions' | 'actions'> & { enabled: boolean };

/** Whether two versions of a policy make the same of every decision; null: there is none. */
export function judgesAlike(one: Judging | null, other: Judging | null): boolean {
  return sameJson(judged(one), judged(other));
}

/** What is not enabled judges nothing, whatever it says. */
function judged(policy: Judging | null): JsonObject {
  if (!policy?.enabled) return {};
  const { priority, conditions, actions } = policy;
  return { priority, conditions, actions } as unknown as JsonObject;
}
