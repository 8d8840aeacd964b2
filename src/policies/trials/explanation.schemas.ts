// The view of why a decision was judged as it was (decisions: explanation).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { MATCH_OUTCOMES } from '../../domain/policies/trials/explain.ts';
import { UNKNOWN_REASONS } from '../../domain/policies/trials/rejudge.ts';
import { idParam } from '../../http/declaration/views.ts';
import { conditionView } from '../policies.schemas.ts';

export const byDecision = z.object({
  id: z.union([idParam, z.string().regex(/^trc_[0-9a-f]{32}$/)]),
});

export const explanationView = z.object({
  policySetDigest: z.string(),
  total: z
    .int()
    .describe('How many policies judged it; at most 50 are explained, matched ones first'),
  policies: z.array(
    z.object({
      id: z.string(),
      revision: z.int(),
      name: z.string(),
      matched: z.boolean().describe('On its day'),
      outcome: z
        .enum(MATCH_OUTCOMES)
        .nullable()
        .describe(
          'What came of its match: it acted, it only observed, or none of its limits was passed; null: it did not match',
        ),
      error: z.string().nullable().describe('Why it could not be evaluated on its day'),
      explanation: z.array(
        z.object({
          condition: conditionView,
          matched: z.boolean().nullable().describe('Null: what it saw is no longer known'),
          error: z.string().nullable(),
          actual: z
            .string()
            .nullable()
            .describe('What the field held, as JSON of at most 200 characters; null: nothing'),
          unknownBecause: z.enum(UNKNOWN_REASONS).nullable(),
        }),
      ),
    }),
  ),
});
export type Explanation = z.input<typeof explanationView>;

nameSchemas({ DecisionExplanation: explanationView });
