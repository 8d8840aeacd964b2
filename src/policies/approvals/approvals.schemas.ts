// Inputs and views of policy approvals (document 2, section 4.2; decisions: approvals).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { hasChanges, optional, withDefault } from '../../http/declaration/optional.ts';
import { APPROVAL_ACTIONS, APPROVAL_STATES } from '../../domain/policies/changes/approval.ts';
import { id, idParam, instant, optionalText } from '../../http/declaration/views.ts';
import { policyChange, policyContentsShown, policyInputHere } from '../policies.schemas.ts';
import { proposedToolsView } from '../tools/tools.schemas.ts';
import { policyApprovalSteps, sha256 } from './approval-record.schemas.ts';

/** Maximum number of open approvals of an organisation. */
export const OPEN_APPROVALS = 200;

const submit = z.boolean().describe('False: a draft, which is not up for review yet');

/** Proposes a new policy or a change of an existing one. Without `policy` it proposes to enable it as it is. */
export const policyApprovalInput = z.union([
  z.strictObject({
    policyId: idParam,
    policy: optional(policyChange),
    submit: withDefault(submit, true),
  }),
  z.strictObject({
    policyId: z.null().exactOptional(),
    policy: policyInputHere,
    submit: withDefault(submit, true),
  }),
]);
export const policyApprovalChange = z
  .strictObject({
    policy: optional(policyChange),
    submit: optional(z.literal(true)).describe('Ends a draft'),
  })
  .refine(hasChanges, 'nothing to change');

export const policyApprovalQuery = z.object({ state: optional(z.enum(APPROVAL_STATES)) });
export const policyApprovalActionParams = z.object({
  id: idParam,
  action: z.enum(APPROVAL_ACTIONS),
});
export const policyApprovalActionInput = z.strictObject({
  reason: optionalText(1000).describe('Required to break the glass'),
  digest: optional(sha256).describe(
    'Digest of the contents that the caller saw; refused when they have changed since, and required to approve, promote or break the glass once the change was edited',
  ),
});

const listVersion = z.object({ digest: sha256, count: z.int() });
const policyListChangeView = z
  .object({
    name: z.string(),
    description: z.string().describe('As it was when the change was written'),
    before: listVersion,
    after: listVersion.nullable().describe('Null: the list is removed'),
  })
  .describe('The values are at `GET /policy-lists/contents/:digest`');

export const policyApprovalView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id.nullable().describe('Null: a list of all workspaces'),
  policyId: id.nullable().describe('Null: a list, tools, or a new policy until it is promoted'),
  baseRevision: z.int().nullable().describe('The revision that the change was written on'),
  policy: policyContentsShown
    .nullable()
    .describe('What the policy is to say, whole; null: `list` or `tools` change'),
  list: policyListChangeView.nullable(),
  tools: proposedToolsView.nullable(),
  digest: sha256.describe(
    'SHA-256 of `policy`, `list` or `{ tools }` as canonical JSON (RFC 8785)',
  ),
  state: z.enum(APPROVAL_STATES),
  needsReview: z.boolean().describe('In force without a review'),
  author: id,
  reviewer: id.nullable(),
  enforcer: id.nullable(),
  lastAction: z
    .object({
      action: z.enum(APPROVAL_ACTIONS),
      by: id,
      at: instant,
      reason: z.string().nullable(),
    })
    .nullable(),
  steps: policyApprovalSteps,
  promotedRevision: z.int().nullable().describe('The revision of the policy that it became'),
  createdAt: instant,
  updatedAt: instant,
});

nameSchemas({
  PolicyApprovalInput: policyApprovalInput,
  PolicyApprovalChange: policyApprovalChange,
  PolicyApprovalActionInput: policyApprovalActionInput,
  PolicyApproval: policyApprovalView,
  ProposedListChange: policyListChangeView,
  PolicyListVersion: listVersion,
});
