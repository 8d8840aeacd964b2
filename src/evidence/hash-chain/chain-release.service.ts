// Releases an organisation whose chain was truncated; its audit log records the loss (docs/internals/ledger.md, heads).
import type { Platform } from '../../platform/platform.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import type { ChainName } from '../../domain/record/bundle.ts';
import type { LostEntries } from '../../ledger/heads/lost-heads.ts';
import { recordAudit, sealAuditRow } from '../../identity/audit/audit.service.ts';

/** The chain to release, and the operator's reason. */
export interface ReleaseRequest {
  organizationId: string;
  chain: ChainName;
  reason: string;
}

const getLostHeads = ({ ledger, auditChain }: Platform, chain: ChainName) =>
  (chain === 'audit' ? auditChain : ledger).lostHeads;

/** Finds the entries that the chain has lost; null if there are none. */
export function findLostEntries(
  platform: Platform,
  { organizationId, chain }: Omit<ReleaseRequest, 'reason'>,
): Promise<LostEntries | null> {
  return getLostHeads(platform, chain).findLostEntries(organizationId);
}

/** Returns the lost entries; null, without writing anything, if none are lost. */
export async function releaseChain(
  platform: Platform,
  { organizationId, chain, reason }: ReleaseRequest,
): Promise<LostEntries | null> {
  const lostHeads = getLostHeads(platform, chain);
  const lost = await lostHeads.findLostEntries(organizationId);
  if (!lost) return null;
  const row = await recordAudit(
    platform,
    createSystemAuditEvent({
      organizationId,
      action: 'hash_chain.release',
      resource: 'hash_chain',
      detail: `${chain}: entries ${lost.from} to ${lost.newest.sequence} are lost: ${reason}`,
      metadata: { chain, lost, reason },
    }),
  );
  await lostHeads.setAside(organizationId);
  if (chain === 'ledger') await forget(platform, organizationId, lost);
  await sealAuditRow(platform, row);
  return lost;
}

/** Resets cursors and verifications that had seen the lost entries. */
async function forget(
  { models }: Platform,
  organizationId: string,
  { goesOnAfter }: LostEntries,
): Promise<void> {
  const left = goesOnAfter?.sequence ?? 0;
  await models.chainVerifications.updateOne({ organizationId }, { $min: { reached: left } });
  await models.cursors.updateMany(
    { organizationId, sequence: { $gt: left } },
    { $set: { sequence: left } },
  );
}
