// Inputs and views of named lists (decisions: named lists).
import { z } from 'zod';
import { LIST_NAME } from '@assay/policy';
import { listLimits } from '../../domain/policies/list-contents.ts';
import { optional } from '../../http/declaration/optional.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { boundedList, id, instant } from '../../http/declaration/views.ts';
import { digestParams, workspaceOfPolicy } from '../policies.schemas.ts';

/** The longest list in JSON, with escapes. */
export const LIST_BODY_BYTES = 1024 * 1024;

export const byListName = z.object({ name: z.string().regex(LIST_NAME) });
/** A name that may be taken for a new list; the service says what is wrong with it. */
export const newListName = z.object({ name: z.string() });
export const byListDigest = digestParams;

const values = boundedList(z.string().min(1).max(listLimits.value), listLimits.values).describe(
  `Texts, compared as \`equals\` compares; repetitions count once. At most ${listLimits.together.values} values in all lists of an organisation`,
);

export const policyListInput = z.strictObject({
  values,
  description: optional(z.string().trim().max(500)),
  workspaceId: workspaceOfPolicy.describe(
    'The workspace whose policies may refer to the list; absent: all workspaces. It cannot be changed later',
  ),
});

/** What is proposed of a list. */
export const policyListChange = z.union([
  z.strictObject({ values, deleted: z.null().exactOptional() }),
  z.strictObject({ deleted: z.literal(true), values: z.null().exactOptional() }),
]);

const members = {
  name: z.string(),
  description: z.string(),
  workspaceId: id.nullable(),
  digest: z.string().describe('SHA-256 of the values as sorted canonical JSON'),
  count: z.int(),
  changedBy: id.nullable(),
  createdAt: instant,
  updatedAt: instant,
};
export const policyListSummary = z.object(members);
export const policyListView = z.object({
  ...members,
  needsApproval: z.boolean().describe('Its values change by approval only'),
  values: z.array(z.string()),
  usedBy: z
    .array(z.object({ id, name: z.string(), enabled: z.boolean() }))
    .describe('The policies that refer to it, at most 100'),
});
export const deletedListView = z.object({ name: z.string(), deleted: z.literal(true) });
export const listContentsView = z.object({ digest: z.string(), values: z.array(z.string()) });

nameSchemas({
  PolicyListInput: policyListInput,
  PolicyListChange: policyListChange,
  PolicyListSummary: policyListSummary,
  PolicyList: policyListView,
  DeletedPolicyList: deletedListView,
  PolicyListContents: listContentsView,
});
