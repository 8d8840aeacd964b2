// The services of other wings that policies call and that no `perInstance` opens yet: the composition provides them.
import type { HashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createProvision } from '../platform/per-instance.ts';

interface Neighbours {
  chain: HashChainService;
  /** Counts the incidents of a month; each count stops at `limit`. */
  countIncidents(
    organizationId: string,
    scope: { from: Date; limit: number },
  ): Promise<Record<'opened' | 'closed' | 'open' | 'breached', number>>;
}

export const { provide: provideNeighbours, get: getNeighbours } =
  createProvision<Neighbours>('policies');
