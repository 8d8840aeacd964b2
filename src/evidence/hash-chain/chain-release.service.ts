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

/** Operators call it by script; there is no route. */
export function createChainReleaseService(platform: Platform) {
  const { models, ledger, auditChain } = platform;
  const chains = { ledger: ledger.lostHeads, audit: auditChain.lostHeads };

  /** Resets cursors and verifications that had seen the lost entries. */
  async function forget(organizationId: string, { goesOnAfter }: LostEntries): Promise<void> {
    const left = goesOnAfter?.sequence ?? 0;
    await models.chainVerifications.updateOne({ organizationId }, { $min: { reached: left } });
    await models.cursors.updateMany(
      { organizationId, sequence: { $gt: left } },
      { $set: { sequence: left } },
    );
  }

  return {
    /** Finds the entries that the chain has lost; null if there are none. */
    findLost: ({
      organizationId,
      chain,
    }: Omit<ReleaseRequest, 'reason'>): Promise<LostEntries | null> =>
      chains[chain].findLostEntries(organizationId),

    /** Returns the lost entries; null, without writing anything, if none are lost. */
    async release({ organizationId, chain, reason }: ReleaseRequest): Promise<LostEntries | null> {
      const lost = await chains[chain].findLostEntries(organizationId);
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
      await chains[chain].setAside(organizationId);
      if (chain === 'ledger') await forget(organizationId, lost);
      await sealAuditRow(platform, row);
      return lost;
    },
  };
}
export type ChainReleaseService = ReturnType<typeof createChainReleaseService>;
