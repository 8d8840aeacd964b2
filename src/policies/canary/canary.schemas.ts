// Schemas of canaries: beginning, ending, and status (document 2, section 4.2; decisions: canary).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { canaryShares, CANARY_STATES } from '../../domain/policies/changes/canary.ts';
import { ALPHA, ARMS, CANARY_DECISIONS } from '../../domain/policies/changes/sequential-test.ts';
import { id, instant } from '../../http/declaration/views.ts';
import { changeReason, policyChange } from '../policies.schemas.ts';

const canaryChange = z
  .union([
    z.strictObject({
      share: z.number().min(canaryShares.least).max(canaryShares.most),
    }),
    z.strictObject({ end: z.enum(['promote', 'rollback']) }),
  ])
  .describe(
    '`share`: of the decisions that the change judges at first, or that a policy judges which is off. `end`: the change judges all, or all is as it was before',
  );

/** A change of a policy, at once or as a canary. */
export const policyEdit = policyChange.safeExtend({
  canary: optional(canaryChange),
  reason: optional(changeReason),
});

export const canaryStatusView = z.object({
  policyId: id,
  state: z.enum(['none', ...CANARY_STATES]),
  share: z.number().nullable(),
  decision: z.enum(CANARY_DECISIONS).describe('What the test says; a person ends the canary'),
  pValue: z.number().describe('Always valid: it may be looked at as often as one likes'),
  alpha: z.literal(ALPHA),
  arms: z.array(
    z.object({
      name: z.enum(ARMS),
      n: z.int().describe('Decisions that were judged'),
      events: z.int().describe('Of these: overturned by the first person who judged them'),
    }),
  ),
  revision: z.int().nullable().describe('Of the policy in the canary'),
  controlRevision: z.int().nullable().describe('Null: the control judges without the policy'),
  startedBy: id.nullable(),
  startedAt: instant.nullable(),
  decidedAt: instant.nullable(),
  endedAt: instant.nullable(),
  matchedLastDay: z
    .int()
    .nullable()
    .describe(
      'How many of the newest 10,000 decisions the policy matched in the last 24 hours; null while a canary runs',
    ),
});
export type CanaryStatus = z.input<typeof canaryStatusView>;

nameSchemas({ PolicyChange: policyEdit, CanaryStatus: canaryStatusView });
