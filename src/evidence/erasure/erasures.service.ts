// Erasures on request: acknowledged with a digest of their impact, and executed once.
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  countAtMost,
  insertOne,
  type Listed,
  listPage,
} from '../../platform/mongo/queries.ts';
import {
  findDecisionIds,
  type FoundDecisions,
} from '../../decisions/traces/search/found-decisions.service.ts';
import { findCopies } from './destruction/copies.service.ts';
import { canDestroy } from './destruction/destructions.service.ts';
import { completeErasure } from './erasure-execution.service.ts';
import { computeImpact } from './erasure-impact.service.ts';
import type { acknowledgementInput, executionInput, RemainingCopies } from './erasure.schemas.ts';
import type { ErasureDestruction, ErasureDocument } from './erasures.model.ts';
import type { UserContext, Context } from '../../platform/context.ts';

interface Acknowledgement {
  acknowledgementId: Types.ObjectId;
  impactDigest: string;
  expiresAt: Date;
  counts: ErasureDocument['counts'];
}
type ErasureRecord = Omit<ErasureDocument, 'traceIds' | 'destruction'> &
  Acknowledgement & { destruction: ErasureDestruction | null };
/** `copies` is null until the erasure is executed. */
type ErasureWithCopies = ErasureRecord & { copies: RemainingCopies | null };

const VALID_MS = 15 * 60_000;

/** Counts the erasures of an organisation, up to a bound. */
export async function countErasures(
  { models }: Platform,
  organizationId: string,
): Promise<{ executed: number; underWay: number }> {
  return {
    executed: await countAtMost(models.erasures, { organizationId, status: 'executed' }),
    underWay: await countAtMost(models.erasures, { organizationId, status: 'executing' }),
  };
}

/** @throws AppError `ERASURE_BATCH_TOO_LARGE`, `NOT_FOUND` when one of the decisions is not there */
export async function recordAcknowledgement(
  ctx: UserContext,
  { reason, ...chosen }: z.output<typeof acknowledgementInput>,
): Promise<Acknowledgement & { found: FoundDecisions | null }> {
  const { platform, tenant, user } = ctx;
  const { models, clock } = platform;
  const { organizationId, workspaceId } = tenant;
  const { traceIds, found } = await chooseDecisions(ctx, chosen);
  const { impactDigest, counts } = await computeImpact(ctx, traceIds);
  const expiresAt = new Date(clock.now().getTime() + VALID_MS);
  const made = await insertOne(models.erasures, {
    organizationId,
    workspaceId,
    traceIds,
    reason,
    impactDigest,
    counts,
    acknowledgedBy: user.userId,
    expiresAt,
  });
  return { ...toRecord(made), found };
}

type Chosen = Omit<z.output<typeof acknowledgementInput>, 'reason'>;

/** Ids that an answer shows of what was found. */
const SHOWN_MAX = 100;

async function chooseDecisions(
  ctx: Context,
  { traceIds, ...query }: Chosen,
): Promise<{ traceIds: string[]; found: FoundDecisions | null }> {
  const most = ctx.platform.config.ASSAY_ERASURE_MAX;
  if (traceIds === undefined) {
    const found = await findDecisionIds(ctx, query, most);
    if (found.traceIds.length === 0) throw createNoneError(found);
    const shown = found.traceIds.slice(0, SHOWN_MAX);
    return { traceIds: found.traceIds, found: { ...found, traceIds: shown } };
  }
  if (traceIds.length > most)
    throw new AppError(
      'ERASURE_BATCH_TOO_LARGE',
      `At most ${most} decisions in one erasure: split it`,
    );
  return { traceIds: [...new Set(traceIds)], found: null };
}

function createNoneError({ unsearched }: FoundDecisions): AppError {
  const behind = unsearched === 0 ? '' : `; ${unsearched} entries were not searched yet, ask again`;
  return new AppError('NOT_FOUND', `No decision was found, nothing would be erased${behind}`);
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `CONFLICT` if the impact differs from the acknowledged one */
export async function executeErasure(
  ctx: UserContext,
  { acknowledgementId, impactDigest, roll: isRollAsked }: z.output<typeof executionInput>,
): Promise<ErasureWithCopies> {
  const { platform } = ctx;
  if (isRollAsked && !canDestroy(platform))
    throw new AppError(
      'INVALID_OPERATION',
      'roll: no custodian keeps the keys of epochs here (ASSAY_ERASURE_CUSTODIAN); leave it out',
    );
  const erasure = await findErasure(ctx, acknowledgementId);
  if (erasure.impactDigest !== impactDigest)
    throw new AppError('INVALID_OPERATION', 'impactDigest: must be the one that was acknowledged');
  await requireValid(ctx, erasure);
  const begun = await beginErasure(ctx, { _id: erasure._id, isRollAsked });
  return addCopies(platform, await completeErasure(ctx, begun));
}

/** Newest first; the ids of the decisions, of which one may have thousands, are not read. */
export async function listErasures(
  { platform, tenant: { organizationId } }: Context,
  page: Page,
): Promise<Listed<ErasureRecord>> {
  const { items, total } = await listPage(
    platform.models.erasures,
    { organizationId },
    { ...page, fields: '-traceIds' },
  );
  return { items: items.map(toRecord), total };
}

/** @throws AppError `NOT_FOUND` */
export async function loadErasure(ctx: Context, id: string): Promise<ErasureWithCopies> {
  return addCopies(ctx.platform, await findErasure(ctx, id));
}

function findErasure(
  { platform, tenant: { organizationId } }: Context,
  id: string,
): Promise<ErasureDocument> {
  return findOr404(
    platform.models.erasures.findOne({ organizationId, _id: id }).lean<ErasureDocument>(),
  );
}

/** @throws AppError `INVALID_OPERATION`, `CONFLICT` */
async function requireValid(ctx: Context, erasure: ErasureDocument): Promise<void> {
  if (erasure.status !== 'acknowledged')
    throw new AppError('INVALID_OPERATION', 'The erasure was executed already');
  if (erasure.expiresAt <= ctx.platform.clock.now())
    throw new AppError(
      'INVALID_OPERATION',
      'The acknowledgement has expired: acknowledge the impact again',
    );
  const now = await computeImpact(ctx, erasure.traceIds);
  if (now.impactDigest !== erasure.impactDigest)
    throw new AppError('CONFLICT', 'The decisions have changed: acknowledge the impact again');
}

/** Starts the execution; of two concurrent requests one succeeds. @throws AppError `INVALID_OPERATION` */
async function beginErasure(
  { platform, tenant: { organizationId }, user: { userId } }: UserContext,
  { _id, isRollAsked = false }: Pick<ErasureDocument, '_id' | 'isRollAsked'>,
): Promise<ErasureDocument> {
  const by = { executedBy: userId, executingInstance: platform.instances.id, isRollAsked };
  const begun = Object.assign({ status: 'executing', executingSince: platform.clock.now() }, by);
  const where = { organizationId, _id, status: 'acknowledged' } as const;
  const query = platform.models.erasures.findOneAndUpdate(where, { $set: begun }, AFTER);
  const erasure = await query.lean<ErasureDocument>();
  if (!erasure) throw new AppError('INVALID_OPERATION', 'The erasure was executed already');
  return erasure;
}

async function addCopies(platform: Platform, erasure: ErasureDocument): Promise<ErasureWithCopies> {
  const isDone = erasure.status === 'executed';
  const left = isDone ? await findCopies(platform, erasure) : null;
  return Object.assign({ copies: left }, toRecord(erasure));
}

function toRecord(erasure: ErasureDocument): ErasureRecord {
  const { _id: acknowledgementId, destruction = null } = erasure;
  return Object.assign({}, erasure, { acknowledgementId, destruction });
}
