// Executes erasures: the decisions are emptied, and that is certified by a signature and an entry of the ledger.
import { queueAttestation } from '../hash-chain/attestations.service.ts';
import { eraseDecisions } from '../../decisions/traces/bulk/bulk.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { toCertificateText, type Tombstone } from '../../domain/erasure/certificate.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { signText } from '../../domain/provenance/jws.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { AFTER } from '../../platform/mongo/queries.ts';
import { findReadyKey } from '../c2pa-kms/signer.service.ts';
import type { DestructionService } from './destruction/destructions.service.ts';
import type { ErasureDocument } from './erasures.model.ts';
import { deleteNotices } from '../../events/notifications/notices/notices.service.ts';

interface Deps {
  destructions: DestructionService;
}

interface Certified extends Pick<ErasureDocument, 'signature' | 'signerKid' | 'destruction'> {
  executedAt: Date;
  certificate: string;
}

const CERTIFICATE_TYPE = 'assay-erasure+jws';
/** After this time the executing request must have ended. */
const LEFT_BEHIND_MS = 10 * 60_000;
const BATCH = 250;

export function createErasureExecutionService(platform: Platform, deps: Deps) {
  const { models, clock, logger, transaction, instances } = platform;
  const { destructions } = deps;

  /** The erasure entry of each decision; an earlier one if the decision was erased before. */
  async function findTombstones(
    organizationId: string,
    traceIds: readonly string[],
  ): Promise<Tombstone[]> {
    const found = new Map<string, Tombstone>();
    for (let from = 0; from < traceIds.length; from += BATCH) {
      const erasures = await models.ledger
        .find({
          organizationId,
          traceId: { $in: traceIds.slice(from, from + BATCH) },
          kind: 'erasure',
        })
        .select('traceId sequence chainHash')
        .sort({ sequence: 1 })
        .lean<Tombstone[]>();
      for (const tombstone of erasures) found.set(tombstone.traceId, tombstone);
    }
    return [...found.values()];
  }

  /** Removes queued deliveries and notices, which contain parts of the erased decisions. */
  async function withdraw(organizationId: string, traceIds: readonly string[]): Promise<void> {
    for (let from = 0; from < traceIds.length; from += BATCH) {
      const subjects = traceIds.slice(from, from + BATCH);
      await models.outbox.deleteMany({ organizationId, subject: { $in: subjects } });
      await deleteNotices(platform, { organizationId, subjects });
    }
  }

  /** Builds the certificate of the erasure, signed if a key is available. */
  async function issueCertificate(
    organizationId: string,
    { _id, traceIds, impactDigest, isRollAsked = false }: ErasureDocument,
  ): Promise<Certified> {
    const executedAt = clock.now();
    const certificate = toCertificateText({
      organizationId,
      erasureId: _id.toHexString(),
      impactDigest,
      executedAt: executedAt.toISOString(),
      tombstones: await findTombstones(organizationId, traceIds),
    });
    const key = await findReadyKey(platform);
    const signature = key && (await signText(certificate, CERTIFICATE_TYPE, key));
    const destruction = await destructions.describePending(isRollAsked);
    return { executedAt, certificate, signature, signerKid: key?.kid ?? null, destruction };
  }

  /** Records the execution, in a transaction. @throws AppError `CONFLICT` if another instance was quicker */
  async function recordExecution(
    { organizationId, actor }: Tenant,
    { _id, workspaceId, reason }: ErasureDocument,
    certified: Certified,
  ): Promise<ErasureDocument> {
    const done = await models.erasures
      .findOneAndUpdate(
        { organizationId, _id, status: 'executing' },
        { $set: Object.assign({ status: 'executed' }, certified) },
        AFTER,
      )
      .lean<ErasureDocument>();
    if (!done)
      throw new AppError('CONFLICT', 'Another instance finished the erasure: read it again');
    const erasureId = _id.toHexString();
    const digest = sha256Hex(certified.certificate);
    const about = { organizationId, workspaceId, actor, erasureId, digest };
    await queueAttestation(platform, Object.assign({ kind: 'certificate' } as const, about), {
      reason,
    });
    return done;
  }

  /** Erases, certifies and records it; steps that are done already are not repeated. @throws AppError `CONFLICT` */
  async function complete(tenant: Tenant, erasure: ErasureDocument): Promise<ErasureDocument> {
    const { organizationId } = tenant;
    await eraseDecisions({ platform, tenant }, erasure.traceIds);
    await withdraw(organizationId, erasure.traceIds);
    const certified = await issueCertificate(organizationId, erasure);
    const done = await transaction(() => recordExecution(tenant, erasure, certified));
    if (done.destruction?.isAsked) destructions.wakeRoll();
    return done;
  }

  async function finish(erasure: ErasureDocument): Promise<void> {
    const organizationId = erasure.organizationId.toHexString();
    const actor = { kind: 'user', id: String(erasure.executedBy) } as const;
    const place = { workspaceId: null, defaultWorkspaceId: organizationId, agentIds: null };
    const tenant: Tenant = Object.assign({ organizationId, actor, plan: 'custom' } as const, place);
    await complete(tenant, erasure);
  }

  /** Whether no request executes it any more: its instance is gone, or the time limit has passed. */
  async function isLeftBehind({
    executingSince,
    executingInstance,
  }: ErasureDocument): Promise<boolean> {
    const since = executingSince?.getTime() ?? 0;
    if (since < clock.now().getTime() - LEFT_BEHIND_MS) return true;
    return executingInstance ? instances.isGone(executingInstance) : false;
  }

  return {
    complete,

    /** Finishes erasures that a crash interrupted. */
    async resumeInterrupted(): Promise<void> {
      const executing = await models.erasures
        .find({ status: 'executing', executingSince: { $lte: clock.now() } }, null, {
          crossTenant: true,
        })
        .lean<ErasureDocument[]>();
      for (const erasure of executing)
        if (await isLeftBehind(erasure))
          await finish(erasure).catch((error: unknown) =>
            logger.error(
              { err: error, erasureId: erasure._id },
              'an erasure cannot be finished yet',
            ),
          );
    },
  };
}
export type ErasureExecutionService = ReturnType<typeof createErasureExecutionService>;
