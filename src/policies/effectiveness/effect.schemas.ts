// The view of what a policy does, or would do while it observes (decisions: effect of a policy).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, instant } from '../../http/declaration/views.ts';
import { TRACE_STATUSES } from '../../domain/record/payload.ts';

const count = z.int();
const verdict = z.enum(['approved', 'flagged', 'blocked']);
const frequency = z.array(z.object({ name: z.string(), count }));

export const effectView = z.object({
  policyId: id,
  since: instant
    .nullable()
    .describe('The oldest decision that was gone over; null: all of the organisation were'),
  days: z
    .array(
      z.object({
        day: z.string().describe('In UTC'),
        approved: count,
        flagged: count,
        blocked: count,
        observed: count.describe('Matched while it only observed, whatever the verdict'),
      }),
    )
    .describe('Decisions that it matched, by their verdict; the oldest day first'),
  held: z
    .object({ waiting: count, approved: count, rejected: count, other: count })
    .describe('Where the held ones are today'),
  agents: frequency.describe('At most ten, the most frequent first'),
  tools: frequency.describe('Of the newest 200 matches; at most ten, the most frequent first'),
  examples: z
    .array(
      z.object({
        traceId: z.string(),
        createdAt: instant,
        agent: z.string().nullable(),
        tools: z.array(z.string()),
        verdict,
        status: z.enum(TRACE_STATUSES),
        observed: z.boolean(),
      }),
    )
    .describe('The newest ten'),
});
export type PolicyEffect = z.input<typeof effectView>;

nameSchemas({ PolicyEffect: effectView });
