// Inputs and views of policies, their revisions, sets and templates (document 2, section 4.2).
import { z } from 'zod';
import {
  actionTypes,
  checkPolicy,
  logicalOperators,
  operators,
  type Action,
  type Condition,
} from '../../domain/policies/definition.ts';
import { freeObject, id, idParam, instant, line } from '../../http/views.ts';

const objectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .toLowerCase();

const condition: z.ZodType<Condition> = z.object({
  field: z.string().min(1),
  operator: z.enum(operators),
  value: z.json(),
  logicalOperator: z.enum(logicalOperators).exactOptional(),
});
const action: z.ZodType<Action> = z.object({ type: z.enum(actionTypes), config: freeObject.exactOptional() });

/** An action that is always right, so that conditions can be checked without their actions. */
const STAND_IN: Action[] = [{ type: 'notify' }];

function refine(
  policy: { conditions?: Condition[] | undefined; actions?: Action[] | undefined },
  context: z.RefinementCtx,
): void {
  for (const { path, text } of checkPolicy(policy.conditions ?? [], policy.actions ?? STAND_IN)) {
    context.addIssue({ code: 'custom', path: path.split(/[.[\]]+/).filter((step) => step !== ''), message: text });
  }
}

const members = {
  name: line(100),
  description: z.string().trim().max(500),
  enabled: z.boolean(),
  priority: z.number().int().min(-1_000_000).max(1_000_000),
  conditions: z.array(condition),
  actions: z.array(action),
};

export const policyInput = z
  .object({
    ...members,
    description: members.description.default(''),
    enabled: members.enabled.default(true),
    priority: members.priority.default(1),
    workspaceId: objectId.optional(),
  })
  .superRefine(refine);
export const policyChange = z.object(members).partial().superRefine(refine);
export const templateInput = z.object({ templateId: z.string().min(1).max(100), name: line(100).optional() });

const contents = {
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  priority: z.number(),
  conditions: z.array(
    z.object({
      field: z.string(),
      operator: z.enum(operators),
      value: z.json(),
      logicalOperator: z.enum(logicalOperators).optional(),
    }),
  ),
  actions: z.array(z.object({ type: z.enum(actionTypes), config: z.record(z.string(), z.json()).optional() })),
};

export const policyView = z.object({
  _id: id,
  id,
  organizationId: id,
  workspaceId: id,
  ...contents,
  revision: z.number().int(),
  matchCount: z.number().int(),
  lastMatched: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export const deletedView = z.object({ _id: id, id, deleted: z.literal(true) });

export const revisionParams = z.object({
  id: idParam,
  revision: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number),
});
export const revisionView = z.object({
  policyId: id,
  revision: z.number().int(),
  ...contents,
  deleted: z.boolean(),
  changedBy: id.nullable(),
  createdAt: instant,
});

export const digestParams = z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/) });
export const policySetView = z.object({
  digest: z.string(),
  members: z.array(z.object({ id, revision: z.number().int() })),
  createdAt: instant,
});

export const templateView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  conditions: contents.conditions,
  actions: contents.actions,
});
