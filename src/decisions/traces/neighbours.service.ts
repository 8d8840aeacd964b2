// The services that decisions call and that are no functions yet: the composition provides them.
import type { PolicySet } from '@assay/policy';
import type { EntryPromise } from '@assay/tlog';
import type { StoredTrace } from './ingestion/ingest-answer.ts';
import type { Consumers } from '../../ledger/follow/consumers.ts';
import { createProvision } from '../../platform/per-instance.ts';

interface Neighbours {
  consumers: Pick<Consumers, 'wake'>;
  /** Finds the policies that judge a decision. `workspaces`: its own, and the one that is its home if that is another. */
  loadPolicySet(
    scope: { organizationId: string; workspaces: string | readonly [string, string] },
    traceId: string,
  ): Promise<PolicySet>;
  promises: {
    signEntry(organizationId: string, entry: StoredTrace): Promise<EntryPromise | null>;
  };
}

export const { provide: provideTraceNeighbours, get: getTraceNeighbours } =
  createProvision<Neighbours>('decisions');
