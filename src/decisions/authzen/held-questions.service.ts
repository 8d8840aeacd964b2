// Asks questions of AuthZEN, and finds the open or approved hold of one that is asked again under another request id.
import type { JsonObject } from '@assay/json';
import {
  computeDenialEnd,
  isAging,
  listActors,
  toBoundAction,
} from '../../domain/authzen/access-requests.ts';
import type { AccessQuestion } from '../../domain/authzen/evaluation.ts';
import { AppError, isDuplicateKey } from '../../errors.ts';
import type { Context, KeyContext } from '../../platform/context.ts';
import {
  askPermission,
  type AskRequest,
  type Permission,
  type Question,
  settleHeld,
} from '../traces/permissions/permissions.service.ts';
import type { AuthzenHoldDocument as Hold } from './authzen-holds.model.ts';
import { computeDenialDigest } from './denial-digests.ts';

/** A question of AuthZEN, with the decision that answers it. */
export interface AskedQuestion extends Question {
  asked: AccessQuestion;
}

/** What became of a question; of a hold, until when the denial may be answered by an access request. */
export interface Settled {
  permission: Permission | AppError;
  until: Date | null;
}

/** Refusals after which a hold is no longer open: the question is asked as a new one. */
const ENDED: ReadonlySet<string> = new Set([
  'APPROVAL_USED',
  'APPROVAL_REJECTED',
  'APPROVAL_EXPIRED',
]);

/**
 * Asks as `askPermission` does; a question whose hold is open or approved is that hold.
 * @throws AppError `SERVICE_UNAVAILABLE`, and what is a fault
 */
export async function askQuestions(
  ctx: KeyContext,
  questions: readonly AskedQuestion[],
  request: AskRequest,
): Promise<Settled[]> {
  const digests = questions.map((question) => computeDigest(ctx, question));
  const holds = await findHolds(ctx, digests);
  const findHold = (index: number): Hold | undefined => holds.get(digests[index] ?? '');
  const earlier = await askHolds(ctx, questions, (index) => findHold(index)?.traceId);
  const rest = questions.filter((_, index) => !earlier.has(index));
  const answers = (await askPermission(ctx, rest, request)).values();
  const settled: Settled[] = [];
  for (const [index, { asked }] of questions.entries()) {
    const permission = earlier.get(index) ?? answers.next().value;
    if (!permission) break;
    const known = { question: digests[index] ?? '', asked, hold: findHold(index) };
    settled.push(await settle(ctx, known, permission));
  }
  return settled;
}

/** An approval is bound to the action alone. */
function computeDigest({ platform, tenant, key }: KeyContext, { decision }: Question): string {
  const { agentId = null, actor = null, outputDecision = null } = decision;
  const { organizationId, workspaceId } = tenant;
  const asked = [workspaceId, key.agentId, agentId, actor, outputDecision] as const;
  return computeDenialDigest(platform.secrets, 'access-hold', [organizationId, ...asked]);
}

async function findHolds(
  { platform, tenant: { organizationId } }: Context,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Hold>> {
  const where = { organizationId, question: { $in: [...new Set(digests)] } };
  const found = await platform.models.authzenHolds.find(where).lean<Hold[]>();
  return new Map(found.map((hold) => [hold.question, hold]));
}

/** The permissions of earlier holds, by the place of their question. */
async function askHolds(
  ctx: Context,
  questions: readonly Question[],
  findHold: (index: number) => string | undefined,
): Promise<ReadonlyMap<number, Permission>> {
  const earlier = new Map<number, Permission>();
  // One after the other, since the same question twice is two executions.
  for (const [index, question] of questions.entries()) {
    const traceId = findHold(index);
    const found = traceId === undefined ? null : await askHold(ctx, question, traceId);
    if (found) earlier.set(index, found);
  }
  return earlier;
}

/** The permission of an earlier hold; null where that has ended, or the caller does not see it. */
async function askHold(
  ctx: Context,
  { decision }: Question,
  traceId: string,
): Promise<Permission | null> {
  const { action = {} } = decision['outputDecision'] as { action?: JsonObject };
  const settled = await settleHeld(ctx, { traceId, action, mayEdit: () => false });
  if (settled instanceof AppError) return null;
  return settled.state === 'refused' && ENDED.has(settled.error.code) ? null : settled;
}

/** Says until when a hold may be requested; of an earlier one that time is prolonged before it is short. */
async function settle(
  ctx: Context,
  { question, asked, hold }: { question: string; asked: AccessQuestion; hold: Hold | undefined },
  permission: Permission | AppError,
): Promise<Settled> {
  if (permission instanceof AppError || permission.state !== 'held')
    return { permission, until: null };
  const { traceId } = permission.answer;
  const end = hold?.traceId === traceId ? hold.expiresAt : undefined;
  const isKept = end !== undefined && !isAging(end, ctx.platform.clock.now());
  const until = isKept ? end : await keepHold(ctx, { question, traceId }, asked);
  return { permission, until };
}

/** Notes a hold, and what an access request for it has to repeat. Returns until when there may be one. */
async function keepHold(
  { platform, tenant: { organizationId } }: Context,
  { question, traceId }: { question: string; traceId: string },
  asked: AccessQuestion,
): Promise<Date> {
  const { models, secrets, clock } = platform;
  const expiresAt = computeDenialEnd(clock.now());
  const chain = listActors(asked.subject.properties?.['act']);
  const denied = [organizationId, toBoundAction(asked)] as const;
  const binding = computeDenialDigest(secrets, 'access-denial', denied);
  const actors = chain && computeDenialDigest(secrets, 'access-actors', [organizationId, ...chain]);
  const change = { $set: { traceId, binding, actors, expiresAt } };
  await models.authzenHolds
    .updateOne({ organizationId, question }, change, { upsert: true })
    .catch((error: unknown) => {
      // The same question was held at the same moment: either hold is found.
      if (!isDuplicateKey(error)) throw error;
    });
  return expiresAt;
}
