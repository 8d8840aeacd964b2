// Follows the ledger for the memory search, in organisations whose plan has it and that have searched.
import { listFeaturePlans } from '../../../domain/identity/plans.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { OrganizationFacts } from '../../../identity/organization/organization-facts.service.ts';
import type { TraceDocument } from '../traces.model.ts';
import { type MemoryIndex, toIndexerName } from './memory-index.ts';
import type { MemoryUseDocument } from './memory-uses.model.ts';

type Indexed = Pick<Platform, 'models' | 'config'> & { organizationFacts: OrganizationFacts };

/** Decisions of one run; each may have megabytes. */
const BATCH = 64;
/** Limits consecutive runs: embedding is the slowest consumer, and alerts must not wait for all of it. */
const RUNS_IN_TURN = 2;

export function createTraceVectorsConsumer(
  deps: Indexed,
  memory: MemoryIndex,
): Consumer<TraceDocument> {
  return {
    name: toIndexerName(memory.model),
    from: 'start',
    beginsIn: (organizationIds) => filterIndexed(organizationIds, deps),
    kinds: ['trace', 'correction', 'erasure'],
    batch: BATCH,
    runsInTurn: RUNS_IN_TURN,
    projection: { traceId: 1 },
    transactional: false,
    consume: (entries, { organizationId }) =>
      memory.store(
        organizationId,
        entries.map(({ traceId, sequence, kind }) => ({
          traceId,
          sequence,
          isErasure: kind === 'erasure',
        })),
      ),
  };
}

/** Keeps the organisations whose decisions are indexed. */
async function filterIndexed(
  organizationIds: readonly string[],
  { models, config, organizationFacts }: Indexed,
): Promise<ReadonlySet<string>> {
  const { ASSAY_MEMORY_INDEXING: indexing } = config;
  if (indexing === 'off') return new Set();
  const ids = indexing === 'on' ? organizationIds : await filterSearching(organizationIds, models);
  return organizationFacts.filterByPlan(ids, listFeaturePlans('memorySearch'));
}

/** Keeps the organisations that have searched. */
async function filterSearching(
  organizationIds: readonly string[],
  { memoryUses }: Platform['models'],
): Promise<string[]> {
  const found = await memoryUses
    .find({ organizationId: { $in: organizationIds } }, 'organizationId')
    .lean<MemoryUseDocument[]>();
  return found.map(({ organizationId }) => organizationId.toHexString());
}
