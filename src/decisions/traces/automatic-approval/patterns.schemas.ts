// The view of a pattern of held decisions (docs/reference/cpi.md).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { id, instant } from '../../../http/declaration/views.ts';

const count = z.number().int();

export const patternView = z.object({
  _id: id,
  workspaceId: id,
  agentId: z.string(),
  policyIds: z.array(z.string()),
  exampleTraceId: z.string().describe('The decision of the pattern that was judged last'),
  approvals: count.describe('of persons, in a row'),
  since: instant.nullable().describe('the first of them'),
  lastVerdictAt: instant,
  isAutoApproved: z
    .boolean()
    .describe(
      'Whether the service approves what has the pattern: mature, in a workspace that wants it',
    ),
});
export type PatternView = z.input<typeof patternView>;

nameSchemas({ ApprovedPattern: patternView });
