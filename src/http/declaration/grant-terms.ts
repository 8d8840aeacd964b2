// The terms of a standing grant as a person says them: how long, how often, and within which arguments.
import { z } from 'zod';
import { BOUNDS_MAX, checkBounds, operators } from '@assay/policy';
import type { Json } from '@assay/json';
import { GRANT_SECONDS, GRANT_USES_MAX } from '../../domain/grants/standing-grant.ts';
import { nameSchemas } from './schema-names.ts';
import { optional, withDefault } from './optional.ts';
import { boundedList, optionalText } from './views.ts';

const FIELD_MAX = 200;

export const argumentBound = z.strictObject({
  field: z.string().min(1).max(FIELD_MAX).describe('Path of an argument: `arguments.amount`'),
  operator: z.enum(operators),
  value: z.custom<Json>((value) => value !== undefined, 'is required').describe('As in a policy'),
});

const bounds = boundedList(argumentBound, BOUNDS_MAX).superRefine((given, context) => {
  for (const { path, text } of checkBounds(given)) {
    const [, at, member] = /^\[(\d+)\]\.(\w+)/.exec(path) ?? [];
    context.addIssue({ code: 'custom', path: [Number(at), String(member)], message: text });
  }
});

const { min, max } = GRANT_SECONDS;
export const grantTerms = {
  expiresIn: z.number().int().min(min).max(max).describe('Seconds; seven days at most'),
  uses: withDefault(z.number().int().min(1).max(GRANT_USES_MAX), GRANT_USES_MAX).describe(
    `Decisions that it lets through; absent: ${GRANT_USES_MAX}, which is the most`,
  ),
  when: optional(bounds).describe('Only calls within all of these; absent: whatever arguments'),
} as const;

export const grantTermsInput = z
  .strictObject({ ...grantTerms, reason: optionalText(500) })
  .describe('Lets through what the same agent does with the same tool, without a person');

nameSchemas({ GrantTerms: grantTermsInput, ArgumentBound: argumentBound });
