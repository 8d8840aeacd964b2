// Access requests of AuthZEN: a hold is the task; it is requested by who was denied, read, and withdrawn.
import type { Json } from '@assay/json';
import { listClientActors, toBoundAction } from '../../domain/authzen/access-requests.ts';
import type { AccessQuestion } from '../../domain/authzen/evaluation.ts';
import { AppError } from '../../errors.ts';
import type { Context, KeyContext } from '../../platform/context.ts';
import {
  type WithdrawalContext,
  withdrawTrace,
} from '../traces/review/review-withdrawal.service.ts';
import { loadNamedTrace, loadTrace, type TraceDetails } from '../traces/traces.service.ts';
import type {
  AccessRequestInput,
  AccessTask,
  CancellationInput,
} from './access-requests.schemas.ts';
import type { AuthzenHoldDocument } from './authzen-holds.model.ts';
import { findRequested, keepRequested, type Submission } from './access-submissions.service.ts';
import { computeDenialDigest } from './denial-digests.ts';
import { describeTask } from './access-tasks.ts';

/** A denied question as it was recorded, and what is known of its denial. */
interface Denied {
  trace: TraceDetails;
  hold: AuthzenHoldDocument;
}

/**
 * Returns the task of a denial. A repeated request gets the task of the first.
 * @throws AppError `VALIDATION_ERROR`, `DENIAL_MISMATCH`, `DENIAL_NOT_REQUESTABLE`, `DENIAL_EXPIRED`, `FORBIDDEN`,
 * `REQUEST_DIFFERS`
 */
export async function submitAccessRequest(
  ctx: KeyContext,
  submission: Submission,
  input: AccessRequestInput,
): Promise<AccessTask> {
  const known = await findRequested(ctx, submission);
  if (known !== null) return readTask(ctx, known);
  requireOffered(input);
  const denied = await findDenied(ctx, input);
  requireBound(ctx, input, denied);
  requireFresh(input, denied, ctx.platform.clock.now());
  await keepRequested(ctx, submission, denied.trace);
  return describeTask(ctx.platform, denied.trace);
}

/** @throws AppError `NOT_FOUND` */
export async function readTask(ctx: Context, id: string): Promise<AccessTask> {
  const trace = await loadTrace(ctx, id);
  if (!trace.review || trace.traceId !== id) throw new AppError('NOT_FOUND');
  return describeTask(ctx.platform, trace);
}

/** Withdraws a hold, as its caller would. @throws AppError `NOT_FOUND`, `FORBIDDEN`, `REVIEW_ENDED` */
export async function cancelTask(
  ctx: WithdrawalContext,
  id: string,
  { reason, comment }: CancellationInput,
): Promise<Pick<AccessTask, 'task'>> {
  const { task } = await readTask(ctx, id);
  if (task.status !== 'pending') throw new AppError('REVIEW_ENDED', `It is ${task.status}`);
  const words = [reason, comment].filter((text) => text !== undefined).join(': ');
  await withdrawTrace(ctx, id, words === '' ? {} : { reason: words });
  return { task: (await readTask(ctx, id)).task };
}

/** The denial that a request names: the caller sees it, and it was held. */
async function findDenied(ctx: Context, { denial }: AccessRequestInput): Promise<Denied> {
  const traceId = requireReference(denial);
  const trace = await loadNamedTrace(ctx, traceId).catch((error: unknown) => {
    const isUnknown = error instanceof AppError && error.code === 'NOT_FOUND';
    throw isUnknown ? new AppError('DENIAL_MISMATCH', `denial.evaluation_id: ${UNKNOWN}`) : error;
  });
  if (!trace.review) throw new AppError('DENIAL_NOT_REQUESTABLE');
  const { organizationId } = ctx.tenant;
  const hold = await ctx.platform.models.authzenHolds
    .findOne({ organizationId, traceId })
    .lean<AuthzenHoldDocument>();
  // Another denial of the same question has taken its place.
  if (!hold) throw new AppError('DENIAL_EXPIRED');
  return { trace, hold };
}

/** @throws AppError `DENIAL_MISMATCH`, `FORBIDDEN` */
function requireBound(
  { platform: { secrets }, tenant: { organizationId } }: Context,
  { subject, action, resource, client }: AccessRequestInput,
  { trace, hold }: Denied,
): void {
  const question = { subject, action, resource } as AccessQuestion;
  const asked = [organizationId, toBoundAction(question)] as const;
  if (computeDenialDigest(secrets, 'access-denial', asked) !== hold.binding)
    throw new AppError(
      'DENIAL_MISMATCH',
      'subject, action or resource differ from the denied ones',
    );
  const chain = client?.actor && (listClientActors(client.actor) ?? []);
  if (!chain || isAgent(chain, trace.agentId)) return;
  if (computeDenialDigest(secrets, 'access-actors', [organizationId, ...chain]) !== hold.actors)
    throw new AppError('FORBIDDEN', `client.actor: ${OTHER_ACTOR}`);
}

/** @throws AppError `DENIAL_EXPIRED` */
function requireFresh({ denial }: AccessRequestInput, { trace, hold }: Denied, now: Date): void {
  const isPending = trace.review?.status === 'pending';
  const ends = [
    new Date(denial?.expires_at ?? 0),
    hold.expiresAt ?? null,
    isPending ? (trace.review?.expiresAt ?? null) : null,
  ];
  if (ends.some((end) => end !== null && end <= now)) throw new AppError('DENIAL_EXPIRED');
}

const UNKNOWN = 'no denial that you see has this name';
const OTHER_ACTOR = 'is neither the actor of the denied question nor its agent';

const isAgent = ([first, ...more]: readonly [Json, Json][], agentId: string): boolean =>
  more.length === 0 && first !== undefined && first[0] === null && first[1] === agentId;

/** @throws AppError `VALIDATION_ERROR` */
function requireOffered({ callback }: AccessRequestInput): void {
  if (callback !== undefined)
    throw new AppError(
      'VALIDATION_ERROR',
      'callback: leave it out, and read the task or use a webhook',
    );
}

/** @throws AppError `DENIAL_MISMATCH` */
function requireReference(denial: AccessRequestInput['denial']): string {
  const { evaluation_id: id, expires_at: end, binding_token: token } = denial ?? {};
  if (token !== undefined)
    throw new AppError('DENIAL_MISMATCH', 'denial.binding_token: this service has issued none');
  if (id === undefined || end === undefined)
    throw new AppError('DENIAL_MISMATCH', 'denial: must have evaluation_id and expires_at');
  return id;
}
