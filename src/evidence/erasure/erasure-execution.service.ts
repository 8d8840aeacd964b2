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
import { wakeRoll, describePending } from './destruction/destructions.service.ts';
import type { ErasureDocument } from './erasures.model.ts';
import { deleteNotices } from '../../events/notifications/notices/notices.service.ts';
import type { Context } from '../../platform/context.ts';

interface Certified extends Pick<ErasureDocument, 'signature' | 'signerKid' | 'destruction'> {
  executedAt: Date;
  certificate: string;
}

const CERTIFICATE_TYPE = 'assay-erasure+jws';
/** After this time the executing request must have ended. */
const LEFT_BEHIND_MS = 10 * 60_000;
const BATCH = 250;

/** Erases, certifies and records it; steps that are done already are not repeated. @throws AppError `CONFLICT` */
export async function completeErasure(
  ctx: Context,
  erasure: ErasureDocument,
): Promise<ErasureDocument> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  await eraseDecisions(ctx, erasure.traceIds);
  await withdraw(platform, organizationId, erasure.traceIds);
  const certified = await issueCertificate(platform, organizationId, erasure);
  const done = await platform.transaction(() => recordExecution(ctx, erasure, certified));
  if (done.destruction?.isAsked) wakeRoll(platform);
  return done;
}

/** Finishes erasures that a crash interrupted. */
export async function resumeInterrupted(platform: Platform): Promise<void> {
  const executing = await platform.models.erasures
    .find({ status: 'executing', executingSince: { $lte: platform.clock.now() } }, null, {
      crossTenant: true,
    })
    .lean<ErasureDocument[]>();
  for (const erasure of executing)
    if (await isLeftBehind(platform, erasure))
      await finishErasure(platform, erasure).catch((error: unknown) =>
        platform.logger.error(
          { err: error, erasureId: erasure._id },
          'an erasure cannot be finished yet',
        ),
      );
}

/** The erasure entry of each decision; an earlier one if the decision was erased before. */
async function findTombstones(
  { models }: Platform,
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
async function withdraw(
  platform: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<void> {
  for (let from = 0; from < traceIds.length; from += BATCH) {
    const subjects = traceIds.slice(from, from + BATCH);
    await platform.models.outbox.deleteMany({ organizationId, subject: { $in: subjects } });
    await deleteNotices(platform, { organizationId, subjects });
  }
}

/** Builds the certificate of the erasure, signed if a key is available. */
async function issueCertificate(
  platform: Platform,
  organizationId: string,
  { _id, traceIds, impactDigest, isRollAsked = false }: ErasureDocument,
): Promise<Certified> {
  const executedAt = platform.clock.now();
  const certificate = toCertificateText({
    organizationId,
    erasureId: _id.toHexString(),
    impactDigest,
    executedAt: executedAt.toISOString(),
    tombstones: await findTombstones(platform, organizationId, traceIds),
  });
  const key = await findReadyKey(platform);
  const signature = key && (await signText(certificate, CERTIFICATE_TYPE, key));
  const destruction = await describePending(platform, isRollAsked);
  return { executedAt, certificate, signature, signerKid: key?.kid ?? null, destruction };
}

/** Records the execution, in a transaction. @throws AppError `CONFLICT` if another instance was quicker */
async function recordExecution(
  { platform, tenant: { organizationId, actor } }: Context,
  { _id, workspaceId, reason }: ErasureDocument,
  certified: Certified,
): Promise<ErasureDocument> {
  const done = await platform.models.erasures
    .findOneAndUpdate(
      { organizationId, _id, status: 'executing' },
      { $set: Object.assign({ status: 'executed' }, certified) },
      AFTER,
    )
    .lean<ErasureDocument>();
  if (!done) throw new AppError('CONFLICT', 'Another instance finished the erasure: read it again');
  const erasureId = _id.toHexString();
  const digest = sha256Hex(certified.certificate);
  const about = { organizationId, workspaceId, actor, erasureId, digest };
  await queueAttestation(platform, Object.assign({ kind: 'certificate' } as const, about), {
    reason,
  });
  return done;
}

async function finishErasure(platform: Platform, erasure: ErasureDocument): Promise<void> {
  const organizationId = erasure.organizationId.toHexString();
  const actor = { kind: 'user', id: String(erasure.executedBy) } as const;
  const place = { workspaceId: null, defaultWorkspaceId: organizationId, agentIds: null };
  const tenant: Tenant = Object.assign({ organizationId, actor, plan: 'custom' } as const, place);
  await completeErasure({ platform, tenant }, erasure);
}

/** Whether no request executes it any more: its instance is gone, or the time limit has passed. */
async function isLeftBehind(
  { clock, instances }: Platform,
  { executingSince, executingInstance }: ErasureDocument,
): Promise<boolean> {
  const since = executingSince?.getTime() ?? 0;
  if (since < clock.now().getTime() - LEFT_BEHIND_MS) return true;
  return executingInstance ? instances.isGone(executingInstance) : false;
}
