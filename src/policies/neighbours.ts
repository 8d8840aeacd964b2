// The services of other wings that policies call and that no `perInstance` opens yet: the composition provides them.
import { createProvision } from '../platform/per-instance.ts';

interface Neighbours {
  /** Counts the incidents since a time; each count has a bound. */
  countIncidents(
    organizationId: string,
    from: Date,
  ): Promise<Record<'opened' | 'closed' | 'open' | 'breached', number>>;
}

export const { provide: provideNeighbours, get: getNeighbours } =
  createProvision<Neighbours>('policies');
