// A canary judges a share of the decisions by a changed policy; a hash draws the share, so anyone can repeat the draw.
import { hash } from 'node:crypto';
import type { JsonObject } from '@assay/json';
import { isSameJson, type PolicyDefinition } from '@assay/policy';
import type { Arm } from './sequential-test.ts';

export const CANARY_STATES = ['running', 'promoted', 'rolled_back', 'superseded'] as const;

/** Shares of the decisions that a canary may have. */
export const canaryShares = { least: 0.01, most: 0.99 } as const;

/** Only the server chooses a `traceId`, so no caller can choose the arm. */
export function drawArm({ id, share }: { id: string; share: number }, traceId: string): Arm {
  const drawn = hash('sha256', `${id}/${traceId}`, 'buffer').readUIntBE(0, 6) / 2 ** 48;
  return drawn < share ? 'canary' : 'control';
}

type ComparedPolicy = Pick<PolicyDefinition, 'priority' | 'conditions' | 'actions' | 'observe'> & {
  enabled: boolean;
};

/** Whether two versions of a policy judge every decision alike; null stands for no policy. */
export function hasSameEffect(one: ComparedPolicy | null, other: ComparedPolicy | null): boolean {
  return isSameJson(toEffect(one), toEffect(other));
}

/** A disabled policy has no effect, whatever its conditions and actions. */
function toEffect(policy: ComparedPolicy | null): JsonObject {
  if (!policy?.enabled) return {};
  const { priority, conditions, actions, observe = false } = policy;
  return { priority, conditions, actions, observe } as unknown as JsonObject;
}
