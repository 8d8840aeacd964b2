// Verifies a chain, in full or since the last verified position, and stores the result (document 2, section 4.5).
import type { Platform } from '../../platform/platform.ts';
import { isDuplicateKey } from '../../errors.ts';
import { DECISIONS } from '../../ledger/chains.ts';
import { readErasedUntil } from '../../ledger/verify/erased-until.ts';
import { findHighestSequence } from '../../ledger/verify/notes.ts';
import type { Verification } from '../../ledger/verify/report.ts';
import type { ChainVerificationDocument } from './hash-chain.model.ts';
import { judgeByLogKeys } from '../log/keys/log-keys.service.ts';
import { invalidateStatus } from './hash-chain.service.ts';
import { toVerificationView } from './hash-chain.view.ts';
import type { VerificationView } from './hash-chain.schemas.ts';
import type { WorkContext } from '../../platform/context.ts';

/** `verified`: only entries after the last verified position, which is trusted. */
export interface VerificationScope {
  since?: 'verified' | undefined;
}

/** Replays the chain and stores the result. */
export async function verifyLedger(
  { platform, tenant: { organizationId, signal } }: WorkContext,
  { since }: VerificationScope = {},
): Promise<VerificationView> {
  const { models, clock, logger, verificationWorker } = platform;
  const started = clock.now();
  const earlier = await models.chainVerifications
    .findOne({ organizationId })
    .lean<ChainVerificationDocument>();
  const known = {
    now: started,
    reached: await findReached(platform, organizationId, earlier),
    erasedUntil: await readErasedUntil(organizationId, platform),
    after: since === 'verified' ? (earlier?.position ?? null) : null,
    signal,
  };
  const found = await judgeByLogKeys(platform, (keys) =>
    verificationWorker.verify(DECISIONS, organizationId, { ...known, logKeys: keys }),
  );
  const verifiedAt = clock.now();
  await remember(platform, organizationId, { started, verifiedAt }, found);
  const { broken } = found;
  if (broken) logger.error({ organizationId, broken }, 'a chain is not what was sealed');
  return toVerificationView(found, { started, verifiedAt });
}

/** The highest sequence that consumers and verifications have seen. */
async function findReached(
  { models }: Platform,
  organizationId: string,
  earlier: ChainVerificationDocument | null,
): Promise<number> {
  const cursors = await models.cursors.find({ organizationId }, 'sequence').lean();
  return findHighestSequence([earlier?.reached, ...cursors.map(({ sequence }) => sequence)]);
}

/** Stores a result unless one is stored that it must not replace. */
async function store(
  { models }: Platform,
  where: { organizationId: string },
  change: object,
): Promise<void> {
  try {
    await models.chainVerifications.updateOne(where, change, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/**
 * Only full verifications set `lastVerifiedAt`; findings are stored after any verification. A result that comes late
 * replaces none of a verification that began after it.
 */
async function remember(
  platform: Platform,
  organizationId: string,
  { started: startedAt, verifiedAt }: { started: Date; verifiedAt: Date },
  found: Verification,
): Promise<void> {
  const { verified, totalChecked, broken, position } = found;
  const where = { organizationId, startedAt: { $not: { $gt: startedAt } } };
  const outcome = {
    startedAt,
    verifiedAt,
    ok: verified,
    totalChecked,
    brokenAtSequence: broken?.sequence ?? null,
    brokenReason: broken?.reason ?? null,
    ...(!position && { position }),
  };
  if (found.fromSequence === 1 || !verified) await store(platform, where, { $set: outcome });
  if (position) {
    const { sequence } = position;
    const further = { ...where, 'position.sequence': { $not: { $gt: sequence } } };
    await store(platform, further, { $set: { position }, $max: { reached: sequence } });
  }
  invalidateStatus(platform, organizationId);
}
