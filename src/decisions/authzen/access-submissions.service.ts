// Recognises a repeated access request: the same caller, the same Idempotency-Key, the same body.
import type { Json } from '@assay/json';
import { computeDenialEnd } from '../../domain/authzen/access-requests.ts';
import { AppError, isDuplicateKey } from '../../errors.ts';
import type { KeyContext } from '../../platform/context.ts';
import { readIdempotencyKey, type RequestHeaders } from '../../platform/inputs/idempotency-key.ts';
import type { TraceDetails } from '../traces/traces.service.ts';
import type { AccessSubmissionDocument } from './access-submissions.model.ts';
import { computeDenialDigest } from './denial-digests.ts';

/** A request as it arrived. */
export interface Submission {
  headers: RequestHeaders;
  sent?: Json | undefined;
}

/** How long a request for a hold without an end is known. */
const KEPT_MS = 90 * 24 * 3600 * 1000;

/** The decision that was requested before; null: none was. @throws AppError `REQUEST_DIFFERS` */
export async function findRequested(
  ctx: KeyContext,
  submission: Submission,
): Promise<string | null> {
  const known = identify(ctx, submission);
  if (!known) return null;
  const { accessSubmissions } = ctx.platform.models;
  const found = await accessSubmissions.findOne(known.where).lean<AccessSubmissionDocument>();
  if (!found) return null;
  if (found.body !== known.body) throw new AppError('REQUEST_DIFFERS');
  return found.traceId;
}

/** Keeps what was requested for a day after it ends. @throws AppError `REQUEST_DIFFERS` */
export async function keepRequested(
  ctx: KeyContext,
  submission: Submission,
  { traceId, review }: TraceDetails,
): Promise<void> {
  const known = identify(ctx, submission);
  if (!known) return;
  const { models, clock } = ctx.platform;
  const now = clock.now();
  const end = review?.status === 'pending' ? new Date(now.getTime() + KEPT_MS) : now;
  const expiresAt = computeDenialEnd(review?.expiresAt ?? end);
  const { where, body } = known;
  await models.accessSubmissions
    .create({ ...where, body, traceId, expiresAt })
    .catch(async (error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      await findRequested(ctx, submission);
    });
}

/** What a request is known by; null: it cannot be repeated. @throws AppError `VALIDATION_ERROR` */
function identify({ platform, tenant, key }: KeyContext, { headers, sent = null }: Submission) {
  const { secrets } = platform;
  const { organizationId, workspaceId } = tenant;
  const given = readIdempotencyKey(headers);
  if (given === undefined) return null;
  const caller = [organizationId, workspaceId, key.keyId, given] as const;
  return {
    where: { organizationId, once: computeDenialDigest(secrets, 'access-once', caller) },
    body: computeDenialDigest(secrets, 'access-body', [organizationId, sent]),
  };
}
