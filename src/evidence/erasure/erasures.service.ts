// Erasures on request: acknowledged with a digest of their impact, and executed once.
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  insertOne,
  type Listed,
  listPage,
} from '../../platform/mongo/queries.ts';
import type { CopyService } from './destruction/copies.service.ts';
import type { DestructionService } from './destruction/destructions.service.ts';
import type { ErasureExecutionService } from './erasure-execution.service.ts';
import type { ErasureImpactService } from './erasure-impact.service.ts';
import type { acknowledgementInput, executionInput, RemainingCopies } from './erasure.schemas.ts';
import type { ErasureDestruction, ErasureDocument } from './erasures.model.ts';

interface Deps {
  impact: ErasureImpactService;
  execution: ErasureExecutionService;
  destructions: Pick<DestructionService, 'isAvailable'>;
  copies: CopyService;
}

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

export function createErasureService(
  platform: Pick<Platform, 'models' | 'clock' | 'config' | 'instances'>,
  deps: Deps,
) {
  const { models, clock, config, instances } = platform;
  const { impact, execution, destructions, copies } = deps;

  function findErasure({ organizationId }: Tenant, id: string): Promise<ErasureDocument> {
    return findOr404(models.erasures.findOne({ organizationId, _id: id }).lean<ErasureDocument>());
  }

  /** @throws AppError `INVALID_OPERATION`, `CONFLICT` */
  async function requireValid(tenant: Tenant, erasure: ErasureDocument): Promise<void> {
    if (erasure.status !== 'acknowledged')
      throw new AppError('INVALID_OPERATION', 'The erasure was executed already');
    if (erasure.expiresAt <= clock.now())
      throw new AppError(
        'INVALID_OPERATION',
        'The acknowledgement has expired: acknowledge the impact again',
      );
    const now = await impact.computeImpact(tenant, erasure.traceIds);
    if (now.impactDigest !== erasure.impactDigest)
      throw new AppError('CONFLICT', 'The decisions have changed: acknowledge the impact again');
  }

  /** Starts the execution; of two concurrent requests one succeeds. @throws AppError `INVALID_OPERATION` */
  async function begin(
    { organizationId }: Tenant,
    { userId }: User,
    { _id, isRollAsked = false }: Pick<ErasureDocument, '_id' | 'isRollAsked'>,
  ): Promise<ErasureDocument> {
    const by = { executedBy: userId, executingInstance: instances.id, isRollAsked };
    const begun = Object.assign({ status: 'executing', executingSince: clock.now() }, by);
    const where = { organizationId, _id, status: 'acknowledged' } as const;
    const query = models.erasures.findOneAndUpdate(where, { $set: begun }, AFTER);
    const erasure = await query.lean<ErasureDocument>();
    if (!erasure) throw new AppError('INVALID_OPERATION', 'The erasure was executed already');
    return erasure;
  }

  async function addCopies(erasure: ErasureDocument): Promise<ErasureWithCopies> {
    const isDone = erasure.status === 'executed';
    const left = isDone ? await copies.findCopies(erasure) : null;
    return Object.assign({ copies: left }, toRecord(erasure));
  }

  return {
    /** @throws AppError `ERASURE_BATCH_TOO_LARGE`, `NOT_FOUND` when one of the decisions is not there */
    async recordAcknowledgement(
      tenant: Tenant,
      { userId }: User,
      { traceIds: requestedIds, reason }: z.output<typeof acknowledgementInput>,
    ): Promise<Acknowledgement> {
      if (requestedIds.length > config.ASSAY_ERASURE_MAX)
        throw new AppError(
          'ERASURE_BATCH_TOO_LARGE',
          `At most ${config.ASSAY_ERASURE_MAX} decisions in one erasure: split it`,
        );
      const { organizationId, workspaceId } = tenant;
      const traceIds = [...new Set(requestedIds)];
      const { impactDigest, counts } = await impact.computeImpact(tenant, traceIds);
      const expiresAt = new Date(clock.now().getTime() + VALID_MS);
      const made = await insertOne(models.erasures, {
        organizationId,
        workspaceId,
        traceIds,
        reason,
        impactDigest,
        counts,
        acknowledgedBy: userId,
        expiresAt,
      });
      return toRecord(made);
    },

    /** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `CONFLICT` if the impact differs from the acknowledged one */
    async execute(
      tenant: Tenant,
      user: User,
      { acknowledgementId, impactDigest, roll: isRollAsked }: z.output<typeof executionInput>,
    ): Promise<ErasureWithCopies> {
      if (isRollAsked && !destructions.isAvailable)
        throw new AppError(
          'INVALID_OPERATION',
          'roll: no custodian keeps the keys of epochs here (ASSAY_ERASURE_CUSTODIAN); leave it out',
        );
      const erasure = await findErasure(tenant, acknowledgementId);
      if (erasure.impactDigest !== impactDigest)
        throw new AppError(
          'INVALID_OPERATION',
          'impactDigest: must be the one that was acknowledged',
        );
      await requireValid(tenant, erasure);
      const begun = await begin(tenant, user, { _id: erasure._id, isRollAsked });
      return addCopies(await execution.complete(tenant, begun));
    },

    /** Newest first; the ids of the decisions, of which one may have thousands, are not read. */
    async listErasures({ organizationId }: Tenant, page: Page): Promise<Listed<ErasureRecord>> {
      const { items, total } = await listPage(
        models.erasures,
        { organizationId },
        { ...page, fields: '-traceIds' },
      );
      return { items: items.map(toRecord), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async loadErasure(tenant: Tenant, id: string): Promise<ErasureWithCopies> {
      return addCopies(await findErasure(tenant, id));
    },
  };
}
export type ErasureService = ReturnType<typeof createErasureService>;

function toRecord(erasure: ErasureDocument): ErasureRecord {
  const { _id: acknowledgementId, destruction = null } = erasure;
  return Object.assign({}, erasure, { acknowledgementId, destruction });
}
