// Lets an organisation whose chain was truncated go on: an entry of its audit log says what was lost (docs/ledger.md, heads).
import type { Platform } from '../../composition/platform.ts';
import { systemAuditEvent } from '../../domain/record/audit-event.ts';
import type { ChainName } from '../../domain/record/bundle.ts';
import type { LostEntries } from '../../ledger/heads/lost-heads.ts';
import type { AuditService } from '../audit/audit.service.ts';

type Deps = Pick<Platform, 'models' | 'ledger' | 'auditChain'> & { audit: AuditService };

/** Whose chain, and why it may go on: the operator's words. */
export interface ReleaseRequest {
  organizationId: string;
  chain: ChainName;
  reason: string;
}

/** For operators: no route leads here. */
export function createChainReleaseService({ models, ledger, auditChain, audit }: Deps) {
  const chains = { ledger: ledger.lostHeads, audit: auditChain.lostHeads };

  /** What else has seen the lost entries claims no longer that the chain reached them. */
  async function forget(organizationId: string, { goesOnAfter }: LostEntries): Promise<void> {
    const left = goesOnAfter?.sequence ?? 0;
    await models.chainVerifications.updateOne({ organizationId }, { $min: { reached: left } });
    await models.cursors.updateMany(
      { organizationId, sequence: { $gt: left } },
      { $set: { sequence: left } },
    );
  }

  return {
    /** What the chain has lost; null when it has lost nothing. */
    find: ({
      organizationId,
      chain,
    }: Omit<ReleaseRequest, 'reason'>): Promise<LostEntries | null> =>
      chains[chain].find(organizationId),

    /** Null, and nothing is written, when the chain has lost nothing. */
    async release({ organizationId, chain, reason }: ReleaseRequest): Promise<LostEntries | null> {
      const lost = await chains[chain].find(organizationId);
      if (!lost) return null;
      const row = await audit.record(
        systemAuditEvent({
          organizationId,
          action: 'hash_chain.release',
          resource: 'hash_chain',
          detail: `${chain}: entries ${lost.from} to ${lost.newest.sequence} are lost: ${reason}`,
          metadata: { chain, lost, reason },
        }),
      );
      await chains[chain].setAside(organizationId);
      if (chain === 'ledger') await forget(organizationId, lost);
      await audit.seal(row);
      return lost;
    },
  };
}
export type ChainReleaseService = ReturnType<typeof createChainReleaseService>;
