// What decisions use of wings above them, and of the ledger's consumers: the composition provides it.
import type { PolicySet, ToolCatalogue } from '@assay/policy';
import type { EntryPromise } from '@assay/tlog';
import type { UserContext } from '../../platform/context.ts';
import type { StoredTrace } from './ingestion/ingest-answer.ts';
import type { TraceDocument } from './traces.model.ts';
import type { GrantTerms, StandingGrant } from '../../domain/grants/standing-grant.ts';
import type { Consumers } from '../../ledger/follow/consumers.ts';
import { createProvision } from '../../platform/per-instance.ts';

/** What is read of a decision whose policy has halted something as well. */
export type HaltingDecision = Pick<
  TraceDocument,
  'traceId' | 'workspaceId' | 'agentId' | 'agentName' | 'answer' | 'sessionId'
>;

/** What a chain holds, and what was last found of it. */
interface ChainFacts {
  totalEntries: number;
  lastSequence: number;
  lastChainHash: string | null;
  lastVerifiedAt: Date | null;
  lastVerificationOk: boolean | null;
}

interface Neighbours {
  describeChain(organizationId: string): Promise<ChainFacts>;
  consumers: Pick<Consumers, 'wake'>;
  /** Finds the policies that judge a decision. `workspaces`: its own, and the one that is its home if that is another. */
  loadPolicySet(
    scope: { organizationId: string; workspaces: string | readonly [string, string] },
    traceId: string,
  ): Promise<PolicySet>;
  /** Finds the tools that the workspaces of a decision list; null: none. */
  loadCatalogue(scope: {
    organizationId: string;
    workspaces: string | readonly [string, string];
  }): Promise<ToolCatalogue | null>;
  /** The standing grants of an organisation, cached; the seal finds those that ended in the meantime. */
  loadStandingGrants(organizationId: string): Promise<readonly StandingGrant[]>;
  /** Checks that a decision which waits may be granted; the function gives the grant once it is approved. */
  planGrant(ctx: UserContext, reviewId: string, terms: GrantTerms): Promise<() => Promise<string>>;
  /** Halts what a policy has halted that blocked this decision; again without effect. */
  haltByPolicy(organizationId: string, decision: HaltingDecision): Promise<void>;
  /** Promises an entry that was answered before; null: nothing can be promised now. */
  signEntry(organizationId: string, entry: StoredTrace): Promise<EntryPromise | null>;
}

export const { provide: provideTraceNeighbours, get: getTraceNeighbours } =
  createProvision<Neighbours>('decisions');
