// Inputs and views of erasures on request.
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { id, idParam, instant, multiLine } from '../../http/declaration/views.ts';
import { ERASURE_STATUSES } from './erasures.model.ts';

/** More than a body can hold; the effective limit is configured. */
const IDS_MAX = 500_000;
const digest = z.string().regex(/^[0-9a-f]{64}$/);

export const acknowledgementInput = z.object({
  traceIds: z
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
    .describe('As many as `ASSAY_ERASURE_MAX` allows, 5,000 by default'),
  reason: multiLine(500),
});
export const executionInput = z.object({ acknowledgementId: idParam, impactDigest: digest });

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

export const erasureView = acknowledgementView.extend({
  status: z.enum(ERASURE_STATUSES),
  reason: z.string(),
  acknowledgedBy: id,
  executedBy: id.nullable(),
  executedAt: instant.nullable(),
  certificate: z.string().nullable().describe('Canonical JSON'),
  signature: z.string().nullable().describe('The certificate as JWS compact (ES256)'),
  signerKid: z.string().nullable(),
});

nameSchemas({
  ErasureAcknowledgementInput: acknowledgementInput,
  ErasureExecutionInput: executionInput,
  ErasureCounts: counts,
  ErasureAcknowledgement: acknowledgementView,
  Erasure: erasureView,
});
