// Inputs and views of policies as rule-language source (document 2, section 4.2; docs/reference/rule-language.md).
import { z } from 'zod';
import { sourceLimits } from '@assay/policy';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { id, singleLine } from '../../http/declaration/views.ts';
import { policyContentsShown, workspaceOfPolicy } from '../policies.schemas.ts';

/** Body limit of a request with a source: the longest source fits with each character escaped. */
export const SOURCE_BODY_BYTES = 1024 * 1024;

const adl = z
  .string()
  .max(sourceLimits.characters)
  .describe('Source of a policy in the rule language');

export const sourceInput = z.object({
  adl,
  name: optional(singleLine(100)).describe('Instead of the name in the source'),
  workspaceId: workspaceOfPolicy,
});
export const sourceToCheck = z.object({ adl });

export const sourceView = z.object({ id, revision: z.int(), adl: z.string() });
export type PolicySource = z.input<typeof sourceView>;
export const checkedSourceView = z.object({
  valid: z.boolean(),
  errors: z
    .array(z.object({ line: z.int(), column: z.int(), message: z.string() }))
    .describe('Where the source is wrong: lines and columns from 1'),
  policy: policyContentsShown
    .nullable()
    .describe('What a valid source says, as a policy is created or changed with'),
});
export type CheckedSource = z.input<typeof checkedSourceView>;

nameSchemas({
  PolicySourceInput: sourceInput,
  PolicySourceToCheck: sourceToCheck,
  PolicySource: sourceView,
  CheckedPolicySource: checkedSourceView,
});
