// Schema of an approval as it is shown beside the revision that it made, with all steps (decisions: approvals).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import {
  APPROVAL_ACTIONS,
  APPROVAL_STATES,
  AUTHOR_STEPS,
} from '../../domain/policies/changes/approval.ts';
import { id, instant } from '../../http/declaration/views.ts';

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const policyApprovalSteps = z
  .array(
    z.object({
      action: z.enum([...AUTHOR_STEPS, ...APPROVAL_ACTIONS]),
      by: id,
      at: instant,
      reason: z.string().nullable(),
      digest: sha256.nullable().describe('Of the contents that it was about'),
      from: z.enum(APPROVAL_STATES).nullable(),
      to: z.enum(APPROVAL_STATES),
    }),
  )
  .describe('Every step so far, oldest first');

/** An approval as revisions and the auditor's view show it. */
export const approvalRecordView = z.object({
  approvalId: id,
  workspaceId: id.nullable(),
  policyId: id.nullable(),
  list: z.string().nullable().describe('The list that it changes; null: none'),
  tools: z.array(z.string()).nullable().describe('The tools that it changes; null: none'),
  name: z.string(),
  state: z.enum(APPROVAL_STATES),
  needsReview: z.boolean().describe('In force without a review'),
  digest: sha256,
  baseRevision: z.int().nullable(),
  promotedRevision: z.int().nullable(),
  undoneRevision: z.int().nullable().describe('The revision that took it back'),
  createdAt: instant,
  steps: policyApprovalSteps,
});

nameSchemas({ PolicyApprovalRecord: approvalRecordView });
