// Access requests of AuthZEN: a hold is the task; it is requested by who was denied, read, and withdrawn.
import type { Json } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import { listClientActors, toBoundAction } from '../../domain/authzen/access-requests.ts';
import type { AccessQuestion } from '../../domain/authzen/evaluation.ts';
import type { Key, Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { withdrawTrace } from '../traces/review/review-withdrawal.service.ts';
import { loadNamedTrace, loadTrace, type TraceDetails } from '../traces/traces.service.ts';
import type {
  AccessRequestInput,
  AccessTask,
  CancellationInput,
} from './access-requests.schemas.ts';
import type { AuthzenHoldDocument } from './authzen-holds.model.ts';
import { createAccessSubmissions, type Submission } from './access-submissions.service.ts';
import { computeDenialDigest } from './denial-digests.ts';
import { createTasks } from './access-tasks.ts';

interface Withdrawer {
  tenant: Tenant;
  /** Absent: a person withdraws. */
  key?: Key | undefined;
}

/** A denied question as it was recorded, and what is known of its denial. */
interface Denied {
  trace: TraceDetails;
  hold: AuthzenHoldDocument;
}

export function createAccessRequestService(platform: Platform) {
  const { models, secrets, clock } = platform;
  const tasks = createTasks(platform);
  const submissions = createAccessSubmissions(platform);

  /** The denial that a request names: the caller sees it, and it was held. */
  async function findDenied(tenant: Tenant, { denial }: AccessRequestInput): Promise<Denied> {
    const traceId = requireReference(denial);
    const trace = await loadNamedTrace({ platform, tenant }, traceId).catch((error: unknown) => {
      const isUnknown = error instanceof AppError && error.code === 'NOT_FOUND';
      throw isUnknown ? new AppError('DENIAL_MISMATCH', `denial.evaluation_id: ${UNKNOWN}`) : error;
    });
    if (!trace.review) throw new AppError('DENIAL_NOT_REQUESTABLE');
    const { organizationId } = tenant;
    const hold = await models.authzenHolds
      .findOne({ organizationId, traceId })
      .lean<AuthzenHoldDocument>();
    // Another denial of the same question has taken its place.
    if (!hold) throw new AppError('DENIAL_EXPIRED');
    return { trace, hold };
  }

  /** @throws AppError `DENIAL_MISMATCH`, `FORBIDDEN` */
  function requireBound(
    organizationId: string,
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
  function requireFresh({ denial }: AccessRequestInput, { trace, hold }: Denied): void {
    const now = clock.now();
    const isPending = trace.review?.status === 'pending';
    const ends = [
      new Date(denial?.expires_at ?? 0),
      hold.expiresAt ?? null,
      isPending ? (trace.review?.expiresAt ?? null) : null,
    ];
    if (ends.some((end) => end !== null && end <= now)) throw new AppError('DENIAL_EXPIRED');
  }

  async function readTask(tenant: Tenant, id: string): Promise<AccessTask> {
    const trace = await loadTrace({ platform, tenant }, id);
    if (!trace.review || trace.traceId !== id) throw new AppError('NOT_FOUND');
    return tasks.describe(trace);
  }

  return {
    /**
     * Returns the task of a denial. A repeated request gets the task of the first.
     * @throws AppError `VALIDATION_ERROR`, `DENIAL_MISMATCH`, `DENIAL_NOT_REQUESTABLE`, `DENIAL_EXPIRED`, `FORBIDDEN`,
     * `REQUEST_DIFFERS`
     */
    async submit(submission: Submission, input: AccessRequestInput): Promise<AccessTask> {
      const { tenant } = submission;
      const known = await submissions.findRequested(submission);
      if (known !== null) return readTask(tenant, known);
      requireOffered(input);
      const denied = await findDenied(tenant, input);
      requireBound(tenant.organizationId, input, denied);
      requireFresh(input, denied);
      await submissions.keepRequested(submission, denied.trace);
      return tasks.describe(denied.trace);
    },

    /** @throws AppError `NOT_FOUND` */
    readTask,

    /** Withdraws a hold, as its caller would. @throws AppError `NOT_FOUND`, `FORBIDDEN`, `REVIEW_ENDED` */
    async cancel(
      withdrawer: Withdrawer,
      id: string,
      { reason, comment }: CancellationInput,
    ): Promise<Pick<AccessTask, 'task'>> {
      const { tenant } = withdrawer;
      const { task } = await readTask(tenant, id);
      if (task.status !== 'pending') throw new AppError('REVIEW_ENDED', `It is ${task.status}`);
      const words = [reason, comment].filter((text) => text !== undefined).join(': ');
      await withdrawTrace({ platform, ...withdrawer }, id, words === '' ? {} : { reason: words });
      return { task: (await readTask(tenant, id)).task };
    },
  };
}
export type AccessRequestService = ReturnType<typeof createAccessRequestService>;

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
