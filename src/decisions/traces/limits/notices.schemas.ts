// Views of what stopped a decision: a halt, or the limits that it would have passed.
import { z } from 'zod';
import { LIMIT_SCOPES, LIMIT_WINDOWS, type LimitWindow } from '@assay/policy';
import { HALT_SCOPES } from '../../../domain/halt/halt.ts';
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
      at: z.number().int().describe('The place of the action in the policy'),
      type: z.enum(['block', 'flag_for_review']),
      of: z.string(),
      per: z.enum(LIMIT_SCOPES),
      window: z.enum(Object.keys(LIMIT_WINDOWS) as [LimitWindow, ...LimitWindow[]]),
      most: z.number(),
      left: z.number().nullable().describe('Null: what it would add cannot be read'),
      freesAt: z.iso.datetime().nullable().describe('When there is more; null: never'),
    }),
  )
  .describe('The limits that it would have passed');

nameSchemas({ HaltNotice: haltNotice, LimitNotices: limitNotices });
