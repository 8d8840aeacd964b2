// Inputs and views of policies, their revisions, sets and templates (document 2, section 4.2).
import { z } from 'zod';
import {
  actionTypes,
  checkPolicy,
  logicalOperators,
  operators,
  policyLimits,
  type Action,
  type Condition,
  templateCategories,
} from '@assay/policy';
import { nameSchemas } from '../http/declaration/schema-names.ts';
import { optional, withDefault } from '../http/declaration/optional.ts';
import {
  freeObject,
  id,
  idParam,
  instant,
  singleLine,
  boundedList,
  createDeletedView,
} from '../http/declaration/views.ts';
import { approvalRecordView } from './approvals/approval-record.schemas.ts';

const objectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .toLowerCase();

/** Member names that the database layer drops or interprets: the stored value would differ from the given one. */
const RESERVED = /"(?:_bsontype|constructor|prototype)":/;
const isStorable = (value: unknown): boolean => !RESERVED.test(JSON.stringify(value));
const unstorable = 'must not hold a member named _bsontype, constructor or prototype';

/** Must be strict, for a misspelt member would silently change what the policy means. */
const operator = z.enum(operators);
const conditionMembers = {
  field: z.string().min(1).describe('Path of a fact, such as outputDecision.action'),
  operator,
  value: z.json().refine(isStorable, unstorable),
};
const logicalOperator = z
  .enum(logicalOperators)
  .describe('Joins this condition with the next; default AND');
const config = freeObject.describe(
  '`reason` is shown with the verdict; the rest belongs to the type. Of `flag_for_review`: `priority`, `expiresIn` ' +
    '(seconds until the hold ends by itself) and `onExpiry` (`reject`, the default, or `approve`), and `approvals` ' +
    '(`{ steps: [{ name, roles, people, agentOwner, count }], inOrder, exclude }`: who has to approve, and how many ' +
    'distinct people of each group). Of `block`: `halt` (`session` or `agent`, which is halted as well)',
);
const not = z
  .literal(true)
  .describe('The condition holds where the rest does not, also where the field is absent');
export const condition: z.ZodType<Condition> = z.strictObject({
  ...conditionMembers,
  not: optional(not),
  logicalOperator: optional(logicalOperator),
});
export const actionType = z.enum(actionTypes);
const action: z.ZodType<Action> = z.strictObject({
  type: actionType,
  config: optional(config.refine(isStorable, unstorable)),
});

/** The contents of a policy. */
export const policyContents = {
  name: singleLine(100),
  description: z.string().trim().max(500),
  enabled: z.boolean(),
  priority: z.number().min(-1e6).max(1e6).describe('Lower is evaluated first'),
  conditions: boundedList(condition, policyLimits.conditions).describe(
    'All conditions of a workspace share 2,000,000 steps of work a decision; what would take more is in error',
  ),
  actions: boundedList(action, policyLimits.actions, 1),
};

/** A condition and an action as they are shown. */
export const conditionView = z.object({
  ...conditionMembers,
  not: not.exactOptional(),
  logicalOperator: logicalOperator.exactOptional(),
});
const actionView = z.object({ type: actionType, config: config.exactOptional() });

const observe = z
  .boolean()
  .describe('It judges beside the others and changes no verdict: what it would do is recorded');

/** The contents as they are shown. */
export const policyContentsView = {
  ...policyContents,
  conditions: z.array(conditionView),
  actions: z.array(actionView),
  observe: observe.exactOptional(),
};

export const policyContentsShown = z.object(policyContentsView);

/** A valid action, so that conditions can be checked without their actions. */
const STAND_IN: Action[] = [{ type: 'notify' }];

function addPolicyIssues(
  policy: { conditions?: Condition[]; actions?: Action[] },
  context: z.RefinementCtx,
): void {
  for (const { path, text } of checkPolicy(policy.conditions ?? [], policy.actions ?? STAND_IN)) {
    context.addIssue({ code: 'custom', path: path.split(/[.[\]]+/), message: text });
  }
}

/** The workspace that a new policy belongs to. */
export const workspaceOfPolicy = optional(objectId);

const newPolicy = {
  ...policyContents,
  description: withDefault(policyContents.description, ''),
  enabled: withDefault(policyContents.enabled, true),
  priority: withDefault(policyContents.priority, 1),
  observe: optional(observe),
};
export const policyInput = z
  .object({ ...newPolicy, workspaceId: workspaceOfPolicy })
  .superRefine(addPolicyIssues);

/** A new policy in the workspace of the request. */
export const policyInputHere = z.object(newPolicy).superRefine(addPolicyIssues);

/** A policy that is tried before it is saved; its name may be left out. */
export const policyCandidate = z
  .object({ ...newPolicy, name: withDefault(policyContents.name, 'Candidate') })
  .superRefine(addPolicyIssues);

/** Why something is changed. */
export const changeReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .describe('Why; it stands in the audit log');

export const policyChange = z
  .object({
    name: optional(policyContents.name),
    description: optional(policyContents.description),
    enabled: optional(policyContents.enabled),
    priority: optional(policyContents.priority),
    conditions: optional(policyContents.conditions),
    actions: optional(policyContents.actions),
    observe: optional(observe),
  })
  .superRefine(addPolicyIssues);

export const templateInput = z.object({
  templateId: z.string().min(1).max(100),
  name: optional(singleLine(100)),
});

export const policyView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id,
  ...policyContentsView,
  revision: z.int(),
  canary: z
    .object({ share: z.number() })
    .nullable()
    .describe('While the policy judges a share of the decisions only'),
  matchCount: z.int(),
  lastMatched: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export const deletedPolicyView = createDeletedView();

export const revisionParams = z.object({
  id: idParam,
  revision: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number),
});
export const revisionView = z.object({
  policyId: id,
  revision: z.int(),
  ...policyContentsView,
  deleted: z.boolean(),
  changedBy: id.nullable(),
  approval: approvalRecordView
    .nullable()
    .describe('The approval that made or reverted it; null: a direct change'),
  createdAt: instant,
});
/** `approval`: the one that made the revision; null: a direct change. */
export type PolicyRevisionView = z.input<typeof revisionView>;

export const digestParams = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) });
export const policySetView = z.object({
  digest: z.string(),
  members: z.array(
    z.object({
      id,
      revision: z.int(),
      lists: z
        .array(z.object({ name: z.string(), digest: z.string() }))
        .exactOptional()
        .describe('The lists that it names, with the digests of their values'),
    }),
  ),
  createdAt: instant,
});

export const templateView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.enum(templateCategories),
  conditions: policyContentsView.conditions,
  actions: policyContentsView.actions,
});

nameSchemas({
  PolicyContents: policyContentsShown,
  PolicyOperator: operator,
  PolicyConditionInput: condition,
  PolicyCondition: conditionView,
  PolicyActionType: actionType,
  PolicyActionInput: action,
  PolicyAction: actionView,
  PolicyInput: policyInput,
  PolicyCandidate: policyCandidate,
  PolicyFromTemplateInput: templateInput,
  Policy: policyView,
  DeletedPolicy: deletedPolicyView,
  PolicyRevision: revisionView,
  PolicySet: policySetView,
  PolicyTemplate: templateView,
});
