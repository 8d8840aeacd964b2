// Inputs and views of workspace API keys (document 1, sections 2 and 4.2).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { id, instant, planName, singleLine } from '../../../http/declaration/views.ts';
import { KEY_CAPABILITIES } from './keys.model.ts';

const objectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .toLowerCase();
const agentIds = z.array(objectId).min(1).max(200).nullable();

/** Strict, so that a misspelt limit does not create a key without limits. */
const scope = z.strictObject({ agentIds: optional(agentIds), readOnly: optional(z.boolean()) });
const capabilities = z
  .array(z.enum(KEY_CAPABILITIES))
  .max(KEY_CAPABILITIES.length)
  .describe(
    '`feedback`: what the key says by `POST /cpi/ingest` counts as the verdict of a person, and it ingests nothing; never changed',
  );

export const keyInput = z
  .strictObject({
    name: singleLine(100),
    workspaceId: optional(objectId.nullable()),
    scope: optional(scope),
    capabilities: optional(capabilities),
  })
  .refine(({ scope: limits, capabilities: given }) => !(limits?.readOnly && given?.length), {
    path: ['capabilities'],
    message: 'a read-only key gives no feedback: leave out readOnly, or the capability',
  });
export const keyChange = z.strictObject({
  name: optional(singleLine(100)),
  scope: optional(scope),
});

export const keyView = z.object({
  _id: id,
  organizationId: id,
  name: z.string(),
  prefix: z.string(),
  workspaceId: id.nullable(),
  scope: z.object({ agentIds: z.array(id).nullable(), readOnly: z.boolean() }),
  capabilities: capabilities.exactOptional(),
  createdBy: id,
  lastUsedAt: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
/** The only answer that shows the raw key. */
export const newKeyView = keyView.extend({ key: z.string() });

/** The description of a key that is returned to the key itself. */
export const currentKeyView = z.object({
  keyId: id.describe('Of the workspace key; the agent of an agent key'),
  kind: z.enum(['workspaceKey', 'agentKey']),
  organizationId: id,
  workspaceId: id.nullable().describe('null: bound to none; `x-workspace-id` may name any'),
  agent: z.object({ _id: id, name: z.string() }).nullable().describe('Only of an agent key'),
  scope: z.object({
    agentIds: z.array(id).nullable().describe('null: every agent'),
    readOnly: z.boolean(),
  }),
  run: z
    .object({
      expiresAt: instant,
      trust: id,
      workload: z.object({ issuer: z.string(), subject: z.string() }),
      chain: z
        .array(z.object({ type: z.string(), id: z.string(), issuer: z.string() }))
        .describe('On whose behalf it acts: the nearest first'),
      grant: z
        .object({
          tools: z.array(z.string()).exactOptional(),
          until: z.string().exactOptional(),
          depth: z.number().exactOptional(),
        })
        .nullable(),
    })
    .exactOptional()
    .describe('Only of a run token, which acts as the key of its agent'),
  capabilities,
  mayIngest: z.boolean(),
  plan: planName,
  limits: z.object({
    decisionsPerMonth: z.int().nullable().describe('Of the plan; null: unlimited'),
    requestsPerMinute: z.int().nullable().describe('Of the agent of the key; null: none'),
  }),
});

nameSchemas({
  CurrentKey: currentKeyView,
  KeyInput: keyInput,
  KeyChange: keyChange,
  Key: keyView,
  NewKey: newKeyView,
});
