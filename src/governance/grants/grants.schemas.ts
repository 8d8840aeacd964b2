// Inputs and views of standing grants.
import { z } from 'zod';
import { GRANT_STATUSES } from '../../domain/grants/grant-use.ts';
import { argumentBound, grantTermsInput } from '../../http/declaration/grant-terms.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { id, idParam, instant, optionalText } from '../../http/declaration/views.ts';
import { GRANT_CAUSES } from './grants.model.ts';

export const standingGrantInput = grantTermsInput.extend({
  fromTraceId: z
    .string()
    .min(1)
    .max(100)
    .describe('A decision that was held, and that the caller approved as it was'),
});

export const grantQuery = z.object({
  standing: optional(z.stringbool()).describe('True: those that still let something through'),
  agentId: optional(idParam),
  givenBy: optional(idParam).describe('The user who gave it'),
});
export type GrantQuery = z.output<typeof grantQuery>;

export const revocationInput = z.strictObject({ reason: optionalText(500) });

/** All of an agent, or all that one person gave. */
export const grantsRevocationInput = z
  .strictObject({
    agentId: optional(idParam),
    givenBy: optional(idParam),
    reason: optionalText(500),
  })
  .refine(({ agentId, givenBy }) => (agentId === undefined) !== (givenBy === undefined), {
    message: 'must have agentId or givenBy',
  });

export const grantView = z.object({
  _id: id,
  id,
  status: z.enum(GRANT_STATUSES).describe('`granted`: it stands'),
  cause: z
    .enum(GRANT_CAUSES)
    .nullable()
    .describe('What ended it by itself: a policy changed, or who gave it may not any more'),
  workspaceId: id,
  agentId: id,
  agentName: z.string().nullable(),
  tool: z.string(),
  server: z.string().nullable().describe('The MCP server that has the tool; null: none was named'),
  toolDigest: z
    .string()
    .describe(
      'Of what is listed of the tool: it lets nothing through while another listing is in force',
    ),
  when: z.array(argumentBound),
  policies: z
    .array(z.object({ id: z.string(), revision: z.number().int() }))
    .describe('The policies whose hold it lets through'),
  uses: z.number().int(),
  used: z.number().int(),
  left: z.number().int().describe('0 once it has ended'),
  until: instant,
  fromTraceId: z.string(),
  reason: z.string().nullable(),
  givenBy: id,
  createdAt: instant,
  endedAt: instant.nullable(),
  endedBy: id.nullable().describe('null: the service, or it stands'),
  hashChain: z.object({ sequence: z.number().int() }),
});
export type GrantView = z.input<typeof grantView>;

export const revokedView = z.object({ revoked: z.number().int() });

nameSchemas({
  StandingGrant: grantView,
  StandingGrantInput: standingGrantInput,
  GrantRevocation: revocationInput,
  GrantsRevocation: grantsRevocationInput,
});
