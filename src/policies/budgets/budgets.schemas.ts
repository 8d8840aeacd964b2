// Views of budgets: what is spent of the limits of policies.
import { z } from 'zod';
import { id, instant, limitMembers } from '../../http/declaration/views.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';

/** What the sum is of: members that its scope does not need are null, and so are those of an erased decision. */
const target = z.object({
  workspaceId: z.string().nullable(),
  agentId: z.string().nullable(),
  agentName: z.string().nullable(),
  sessionId: z.string().nullable(),
});

const sum = z.object({
  target,
  spent: z.number().describe('What counts now, what is reserved included'),
  open: z.number().describe('How much of it no outcome has settled'),
  left: z.number(),
  freesAt: instant.nullable().describe('When the oldest part stops counting; null: never'),
  changedAt: instant,
  traceId: z.string().describe('The decision that changed it last'),
});
export type BudgetSum = z.input<typeof sum>;

export const limitBudgetView = z.object({
  policyId: id,
  name: z.string(),
  enabled: z.boolean(),
  workspaceId: z.string(),
  ...limitMembers,
  sums: z
    .array(sum)
    .describe(
      'The fullest twenty of the hundred that changed last; more of one policy, see `policyId`',
    ),
});
export type LimitBudgetView = z.input<typeof limitBudgetView>;

export const budgetQuery = z.object({
  policyId: z
    .string()
    .regex(/^[0-9a-f]{24}$/, 'must be an id of 24 lower-case hexadecimal digits')
    .exactOptional()
    .describe('Of this policy alone, with up to a thousand sums of each limit'),
  at: z.iso
    .datetime({ offset: true })
    .exactOptional()
    .describe('As of this time, read from the chain'),
});
export type BudgetQuery = z.output<typeof budgetQuery>;

nameSchemas({ LimitBudget: limitBudgetView });
