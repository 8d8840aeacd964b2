// The input and the answer of feedback ingestion (document 2, section 4.6).
import { z } from 'zod';
import type { Json } from '@assay/json';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { emailAddress, optionalText } from '../../../http/declaration/views.ts';

/** The same limit as for the action of a decision. */
const DECISION_BYTES = 10 * 1024;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

export const feedbackInput = z
  .object({
    traceId: z.string().min(1).max(100).describe('`traceId` or object id of the decision'),
    action: optional(z.enum(['approve', 'correct'])).describe(
      'absent: `correct`, where there is a `correctedDecision`',
    ),
    correctedDecision: optional(z.unknown())
      .refine(
        (value) => countBytes(value) <= DECISION_BYTES,
        `at most ${DECISION_BYTES} bytes of JSON`,
      )
      .describe(`Needed unless it is approved; at most ${DECISION_BYTES} bytes of JSON`),
    feedbackNotes: optionalText(2000),
    userEmail: optional(emailAddress).describe(
      'Whose verdict the caller says it is; it is kept as a claim',
    ),
  })
  .refine(({ action, correctedDecision }) => action === 'approve' || isGiven(correctedDecision), {
    path: ['correctedDecision'],
    message: 'needed unless the action is approve',
  })
  .refine(({ action, correctedDecision }) => action !== 'approve' || !isGiven(correctedDecision), {
    path: ['correctedDecision'],
    message: 'an approved decision is not corrected',
  })
  .transform(({ traceId, action, correctedDecision, feedbackNotes, userEmail }) => ({
    traceId,
    action: action ?? 'correct',
    correctedDecision: (correctedDecision ?? null) as Json,
    feedbackNotes: feedbackNotes ?? null,
    userEmail: userEmail ?? null,
  }));
export type Feedback = z.output<typeof feedbackInput>;

export const feedbackView = z.object({
  traceId: z.string(),
  action: z.enum(['approve', 'correct']),
  status: z.literal('success'),
  humanOverride: z.boolean(),
  repeated: z.boolean().describe('The decision was like this already: nothing was recorded'),
  counted: z
    .boolean()
    .describe(
      'Whether index, patterns, canaries and effectiveness count the verdict as a person’s: by a key with the capability `feedback` alone',
    ),
  claimedBy: z.string().nullable().describe('`userEmail` as given; not verified'),
  hashChain: z
    .object({ sequence: z.number().int(), chainHash: z.string() })
    .describe('The newest entry about the decision'),
});
export type FeedbackOutcome = z.input<typeof feedbackView>;

nameSchemas({ FeedbackInput: feedbackInput, FeedbackReceipt: feedbackView });
