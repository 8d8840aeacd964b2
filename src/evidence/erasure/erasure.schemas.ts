// Inputs and views of erasures on request.
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import {
  id,
  idParam,
  instant,
  multiLine,
  searchWords,
  subjectName,
} from '../../http/declaration/views.ts';
import { ERASURE_STATUSES } from './erasures.model.ts';

/** More than a body can hold; the effective limit is configured. */
const IDS_MAX = 500_000;
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const traceIds = z
  .array(
    z
      .string()
      .regex(
        /^[A-Za-z0-9_-]{1,64}$/,
        'must be the traceId of a decision, such as trc_0123456789abcdef0123456789abcdef',
      ),
  )
  .min(1)
  .max(IDS_MAX)
  .describe('As many as `ASSAY_ERASURE_MAX` allows, 5,000 by default');

/** What is erased: named, or found. */
const CHOICES = ['traceIds', 'subjectId', 'text'] as const;
const ONE_CHOICE = `one of ${CHOICES.join(', ')} says which decisions`;

export const acknowledgementInput = z
  .object({
    traceIds: optional(traceIds),
    subjectId: optional(subjectName).describe(
      'The decisions made on behalf of this person: the `id` of a member of `actor`, or of the chain of a run token',
    ),
    text: optional(searchWords).describe(
      'The decisions with these words in action, calls, rationale or triggering condition, as `text` of `GET /traces` finds them',
    ),
    reason: multiLine(500),
  })
  .refine((input) => CHOICES.filter((name) => input[name] !== undefined).length === 1, {
    path: ['traceIds'],
    message: ONE_CHOICE,
  });
export const executionInput = z.object({
  acknowledgementId: idParam,
  impactDigest: digest,
  roll: withDefault(z.boolean(), false).describe(
    'True: end the epoch of the key store early, so that older copies of it soon open nothing of this; needs a custodian (`ASSAY_ERASURE_CUSTODIAN`)',
  ),
});

const counts = z.object({
  decisions: z.number(),
  values: z.number(),
  reviewItems: z.number(),
  outboxRows: z.number(),
});

export const acknowledgementView = z.object({
  acknowledgementId: id,
  impactDigest: digest,
  expiresAt: instant,
  counts,
});
export const impactView = acknowledgementView.extend({
  found: z
    .object({
      more: z.int().describe('Others that were found, up to 10,000: erase again for the rest'),
      unsearched: z.int().describe('Newest entries that were not searched yet: ask again soon'),
      traceIds: z.array(z.string()).describe('The oldest 100 of those that would go'),
    })
    .nullable()
    .describe('What a search found; null for decisions that were named'),
});

const destruction = z.object({
  status: z.enum(['pending', 'destroyed']),
  epoch: z.number().describe('The last epoch that may have sealed keys of the erased values'),
  destroyedAt: instant.nullable(),
  statement: z.string().nullable().describe('The signed note of the custodian'),
  verifierKey: z.string().nullable().describe('The key that signed it, as verifiers take it'),
});

const left = z.number();
const copies = z.object({
  data: left.describe('Values of the decisions that are still stored'),
  searchWords: left.describe('Decisions whose words the search still holds'),
  vectors: left.describe('Decisions with vectors of the memory search'),
  outbox: left.describe('Messages about the decisions that wait to be sent'),
  mails: left.describe(
    'Mails about the decisions that the answering instance has written to files, which it keeps for a day',
  ),
  keyStore: left.describe('Entries of the decisions whose key is still there'),
  backups: z
    .array(
      z.object({
        epoch: z.number().describe('0: before the first epoch'),
        from: instant.nullable(),
        until: instant.nullable().describe('Null: it lasts'),
        openedBy: z
          .enum(['encryption-key', 'custodian', 'nothing'])
          .describe('What opens a copy of the key store from this time, together with the data'),
      }),
    )
    .describe('Copies of the key store that may exist, by the time when they were made'),
  exports: z
    .array(z.object({ bundleId: id, createdAt: instant, disclosed: z.array(z.string()) }))
    .describe('Audit bundles, the newest 100, that showed values of the decisions before'),
});
export type RemainingCopies = z.input<typeof copies>;

export const erasureView = acknowledgementView.extend({
  status: z.enum(ERASURE_STATUSES),
  reason: z.string(),
  acknowledgedBy: id,
  executedBy: id.nullable(),
  executedAt: instant.nullable(),
  certificate: z.string().nullable().describe('Canonical JSON'),
  signature: z.string().nullable().describe('The certificate as JWS compact (ES256)'),
  signerKid: z.string().nullable(),
  destruction: destruction
    .nullable()
    .describe('What becomes of older copies of the key store; null where no custodian keeps keys'),
});

export const erasureDetailView = erasureView.extend({
  copies: copies.nullable().describe('What copies are left; null until it is executed'),
});

nameSchemas({
  ErasureAcknowledgementInput: acknowledgementInput,
  ErasureExecutionInput: executionInput,
  ErasureCounts: counts,
  ErasureAcknowledgement: acknowledgementView,
  ErasureImpact: impactView,
  ErasureDestruction: destruction,
  ErasureCopies: copies,
  Erasure: erasureView,
  ErasureDetail: erasureDetailView,
});
