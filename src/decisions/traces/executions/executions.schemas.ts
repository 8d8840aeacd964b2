// Inputs and views of executions: a claim of an approved action, and what became of it.
import { z } from 'zod';
import type { Json } from '@assay/json';
import { DECIMAL_MAX } from '@assay/policy';
import { EXECUTION_STATES } from '../../../domain/record/payload.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { byTrace, id, idParam, instant, optionalText } from '../../../http/declaration/views.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { dataLabels } from '../traces.schemas.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');

const action = z
  .custom<Json>(
    (value) =>
      (typeof value === 'string' && value !== '') ||
      (typeof value === 'object' && value !== null && !Array.isArray(value)),
    'must be an object or a text',
  )
  .meta({ type: ['object', 'string'] });

/** The longest time an agent may take before its execution counts as unknown, in seconds. */
const LEASE_MAX_SECONDS = 86_400;
const LEASE_SECONDS = 600;

/** Strict, so that a misspelt member is refused instead of ignored. */
export const executionClaim = z.strictObject({
  rawActionDigest: digest.describe(
    'SHA-256 of the canonical JSON (RFC 8785) of the action as it was sent to ingestion',
  ),
  editedActionDigest: optional(digest).describe(
    'After an edited approval: of the action with the edits applied, which is what will be executed',
  ),
  action: optional(action).describe(
    'After an edited approval: the action as it was sent. The edits are applied to it and compared; it is not kept',
  ),
  leaseSeconds: withDefault(z.number().int().min(1).max(LEASE_MAX_SECONDS), LEASE_SECONDS).describe(
    'Within this time the outcome is due; without one the execution is recorded as `unknown`',
  ),
});
export type ClaimInput = z.output<typeof executionClaim>;

const usedAmount = z.number().min(0).max(DECIMAL_MAX);

const ended = {
  outcome: z.enum(['succeeded', 'failed', 'unknown']),
  resultDigest: optional(digest).describe('SHA-256 of the result, by which it can be shown later'),
  summary: optionalText(2000).describe('What came of it, in words; scrubbed like a decision'),
  durationMs: optional(z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)),
  labels: optional(dataLabels).describe('What kind of data the result holds'),
  used: optional(
    z.strictObject({ amount: optional(usedAmount), tokens: optional(usedAmount) }),
  ).describe(
    'What it used of the limits of its policies: in place of `action.` fields, and of `metadata.tokens`. Without it what was reserved counts',
  ),
};
export const outcomeInput = z.strictObject(ended);
export type OutcomeInput = z.output<typeof outcomeInput>;

/** A person says what became of an execution of which nothing was heard. */
export const reconciliationInput = z.strictObject({
  outcome: z.enum(['succeeded', 'failed']),
  summary: ended.summary,
  used: ended.used,
});

export const byExecution = byTrace.extend({ executionId: idParam });

const place = z.object({ sequence: z.number().int(), chainHash: z.string() });
export const executionView = z.object({
  executionId: id,
  traceId: z.string(),
  state: z
    .enum(EXECUTION_STATES)
    .describe('`unknown`: nothing was heard within the lease; it may have been executed'),
  claimedAt: instant,
  leaseUntil: instant,
  endedAt: instant.nullable(),
  resultDigest: digest.nullable(),
  summary: z.string().nullable(),
  durationMs: z.number().int().nullable(),
  labels: z.array(z.string()).nullable(),
  used: z
    .object({ amount: z.number().exactOptional(), tokens: z.number().exactOptional() })
    .nullable(),
  editedAction: z
    .object({ salt: z.string(), commitment: z.string() })
    .nullable()
    .describe(
      'After an edited approval: opens the commitment to the digest of the edited action, as `binding` does that to the raw one',
    ),
  receipts: z
    .object({ claim: place, outcome: place.nullable() })
    .describe('Positions of the claim and of the newest outcome in the chain'),
});
export type ExecutionView = z.input<typeof executionView>;

nameSchemas({
  ExecutionClaimInput: executionClaim,
  ExecutionOutcomeInput: outcomeInput,
  ExecutionReconciliationInput: reconciliationInput,
  Execution: executionView,
});
