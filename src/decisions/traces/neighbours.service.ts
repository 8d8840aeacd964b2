// What decisions use of wings above them, and of the ledger's consumers: the composition provides it.
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
  /** Promises an entry that was answered before; null: nothing can be promised now. */
  signEntry(organizationId: string, entry: StoredTrace): Promise<EntryPromise | null>;
}

export const { provide: provideTraceNeighbours, get: getTraceNeighbours } =
  createProvision<Neighbours>('decisions');
