// Inputs and views of a batch of decisions.
import { z } from 'zod';
import { optional } from '../../../http/declaration/optional.ts';
import { describeAs, nameSchemas } from '../../../http/declaration/schema-names.ts';
import { boundedList } from '../../../http/declaration/views.ts';
import { ingestBody, ingestView } from '../traces.schemas.ts';

/** Most decisions of a batch. */
const MAX_DECISIONS = 100;
/** As long as the header may be. */
const KEY_MAX = 256;

export const batchedDecision = ingestBody.extend({
  idempotencyKey: optional(z.string().trim().min(1).max(KEY_MAX)).describe(
    'What the header `Idempotency-Key` is for a decision of its own; absent: its content is the key',
  ),
});

/** A question that came in another protocol: this service has written its adapter. */
export const askedDecision = batchedDecision.extend({ adapter: optional(z.unknown()) });

/** The decisions are checked one by one: what is wrong with one refuses that one alone. */
export const batchBody = z.object({
  decisions: boundedList(describeAs(z.unknown(), batchedDecision), MAX_DECISIONS, 1),
});

const batchEntry = z.object({
  status: z.number().int().describe('The status that the decision would have got alone'),
  success: z.boolean(),
  data: z
    .union([ingestView, z.record(z.string(), z.unknown())])
    .exactOptional()
    .describe(
      'Of a recorded decision its receipt, also if a policy blocked it; of another what is wrong',
    ),
  error: z.string().exactOptional(),
  code: z.string().exactOptional(),
  replayed: z
    .literal(true)
    .exactOptional()
    .describe('It was recorded before, and this is the answer that it got'),
  retryAfter: z.number().int().exactOptional().describe('Seconds, as the header `Retry-After`'),
});
export type BatchAnswer = z.input<typeof batchEntry>;

export const batchView = z.object({
  results: z.array(batchEntry).describe('One for each decision, in their order'),
});

nameSchemas({
  BatchedDecisionInput: batchedDecision,
  BatchInput: batchBody,
  BatchEntry: batchEntry,
  BatchResults: batchView,
});
