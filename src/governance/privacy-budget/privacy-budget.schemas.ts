// Inputs and views of the privacy budget (document 3, sections 2 and 4.5).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { MECHANISMS } from '../../domain/privacy/mechanism.ts';
import { GROUPINGS, METRICS } from '../../domain/privacy/released-numbers.ts';
import { id, instant } from '../../http/declaration/views.ts';

const CAP_MAX = 1_000_000;
const WINDOW_MAX_MS = 10 * 366 * 24 * 3600 * 1000;
/** The smallest amount that is counted. */
const NANO = 1e-9;
const EPSILON_MIN = 0.001;

export const capsInput = z.strictObject({
  epsilonCap: optional(z.number().min(NANO).max(CAP_MAX)).describe('At least what is spent'),
  deltaCap: optional(z.number().min(NANO).max(1)).describe('At least what is spent'),
  windowDurationMs: optional(z.number().int().min(1).max(WINDOW_MAX_MS)),
  paused: optional(z.boolean()).describe('true: no query is answered until it is false'),
});

export const noisedQueryInput = z
  .strictObject({
    metric: z.enum(METRICS),
    groupBy: withDefault(z.enum(GROUPINGS), 'none'),
    epsilon: z.number().min(EPSILON_MIN).max(100),
    delta: withDefault(z.union([z.literal(0), z.number().min(NANO).max(0.01)]), 0).describe(
      'Charged as given; the Laplace mechanism needs none',
    ),
    mechanism: withDefault(z.enum(MECHANISMS), 'laplace'),
    purpose: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_:-]{0,63}$/,
        'must have 1 to 64 letters, digits, colons, dashes or underscores, such as quarterly-report',
      )
      .describe('What the numbers are for; at most 200 purposes a window'),
  })
  .refine(({ mechanism, delta }) => mechanism === 'laplace' || delta > 0, {
    path: ['delta'],
    message: 'the Gaussian mechanism needs a delta above 0',
  });

export const budgetView = z.object({
  _id: id,
  id,
  organizationId: id,
  epsilonCap: z.number(),
  epsilonSpent: z.number(),
  deltaCap: z.number(),
  deltaSpent: z.number(),
  windowDurationMs: z.number(),
  windowStartedAt: instant,
  windowResetsAt: instant,
  spendByPurpose: z.record(z.string(), z.number()),
  spendByDay: z
    .array(z.object({ date: z.iso.date(), epsilon: z.number() }))
    .describe('Epsilon by day (UTC) of the window, in order; days without a spend are absent'),
  status: z.enum(['active', 'exhausted', 'paused']),
  createdAt: instant,
  updatedAt: instant,
});

export const noisedAnswerView = z.object({
  metric: z.enum(METRICS),
  groupBy: z.enum(GROUPINGS),
  mechanism: z.enum(MECHANISMS),
  epsilon: z.number(),
  delta: z.number(),
  purpose: z.string(),
  groups: z.array(
    z.object({
      group: z.string(),
      value: z
        .number()
        .nullable()
        .describe(
          'Unbiased, so a count may be negative; a mean of what may be no decision is null',
        ),
      standardDeviation: z
        .number()
        .nullable()
        .exactOptional()
        .describe('Of the noise of a mean, about; counts share that of the answer'),
    }),
  ),
  standardDeviation: z
    .number()
    .nullable()
    .describe('Of the noise of each count; null: each mean has its own'),
  budget: budgetView,
});
export type NoisedAnswer = z.input<typeof noisedAnswerView>;

nameSchemas({
  PrivacyCapsInput: capsInput,
  NoisedQueryInput: noisedQueryInput,
  PrivacyBudget: budgetView,
  NoisedAnswer: noisedAnswerView,
});
