// Views of approvals that several people have to give.
import { z } from 'zod';
import { APPROVER_ROLES } from '@assay/policy';
import { INVOLVEMENTS } from '../../../../domain/review/self-review.ts';
import { id, instant } from '../../../../http/declaration/views.ts';

/** How far the approvals of a held decision are that several people have to approve. */
export const approvalsSummary = z.object({
  needed: z.number().int().describe('Approvals by distinct people'),
  given: z.number().int().describe('Those that count by now'),
  waitsFor: z.string().nullable().describe('Whose approvals are missing, in words; null: none'),
});
export const approvalsView = approvalsSummary.extend({
  callerMayApprove: z
    .boolean()
    .describe('Whether an approval by the caller counts now, as the newest vote has it'),
  signed: z.boolean().describe('Each signs the approval with a passkey'),
  inOrder: z.boolean().describe('A step begins when those before it are complete'),
  exclude: z.array(z.enum(INVOLVEMENTS)).describe('Who never approves'),
  steps: z.array(
    z.object({
      name: z.string().nullable(),
      roles: z.array(z.enum(APPROVER_ROLES)),
      people: z.array(id),
      agentOwner: z.boolean().describe('The person who registered the agent'),
      count: z.number().int(),
      given: z.number().int(),
      escalated: z
        .boolean()
        .describe('Too few people are left for the step: owners approve in their place'),
    }),
  ),
  edits: z
    .unknown()
    .describe(
      'Those of the newest vote, which the others have to approve; null: as it was proposed',
    ),
  votes: z
    .array(
      z.object({
        userId: id,
        delegator: id.nullable().describe('The member in whose place; null: in their own'),
        at: instant,
        sequence: z.number().int(),
        step: z.number().int().nullable().describe('From 0; null: it does not count any more'),
        reason: z.string().nullable(),
        notes: z.string().nullable(),
        edited: z.boolean().describe('Approved with edits: it annuls those before it with others'),
        via: z.enum(['console', 'link', 'card', 'api']),
      }),
    )
    .describe('Approvals before the last one, each an entry of the chain'),
});
