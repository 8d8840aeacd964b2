// Views of what stopped a decision: a halt, or the limits that it would have passed.
import { z } from 'zod';
import { HALT_REACHES } from '@assay/policy';
import { HALT_SCOPES } from '../../../domain/halt/halt.ts';
import { limitMembers } from '../../../http/declaration/views.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';

export const haltNotice = z
  .object({
    scope: z.enum(HALT_SCOPES),
    state: z.enum(['halted', 'watched']),
    since: z.iso.datetime(),
    sequence: z.number().int(),
    reason: z.string().nullable(),
  })
  .describe('The halt that blocked it, or had a person decide');

export const limitNotices = z
  .array(
    z.object({
      policy: z.string(),
      ...limitMembers,
      left: z.number().nullable().describe('Null: what it would add cannot be read'),
      freesAt: z.iso.datetime().nullable().describe('When there is more; null: never'),
    }),
  )
  .describe('The limits that it would have passed');

export const policyHalt = z
  .object({ policy: z.string(), name: z.string(), scope: z.enum(HALT_REACHES) })
  .describe('What a policy that blocked it has halted as well');

export const verdictBasis = z
  .object({
    kind: z.literal('grant'),
    id: z.string(),
    policy: z
      .object({ name: z.string(), reason: z.string() })
      .nullable()
      .describe('The policy that would have held it'),
  })
  .describe('The standing grant that let it through; absent: the policies alone decided');

nameSchemas({
  VerdictBasis: verdictBasis,
  PolicyHalt: policyHalt,
  HaltNotice: haltNotice,
  LimitNotices: limitNotices,
});
