// Follows the ledger for the memory search, in organisations whose plan has it and that have searched.
import { filterByPlan } from '../../../identity/organization/organization-facts.service.ts';
import { listFeaturePlans } from '../../../domain/identity/plans.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import { toIndexerName } from './memory-index.ts';
import { openMemoryIndex } from './memory-indexing.service.ts';
import type { MemoryUseDocument } from './memory-uses.model.ts';

/** Decisions of one run; each may have megabytes. */
const BATCH = 64;
/** Limits consecutive runs: embedding is the slowest consumer, and alerts must not wait for all of it. */
const RUNS_IN_TURN = 2;

export function createTraceVectorsConsumer(platform: Platform): Consumer<TraceDocument> {
  const memory = openMemoryIndex(platform);
  return {
    name: toIndexerName(memory.model),
    from: 'start',
    beginsIn: (organizationIds) => filterIndexed(organizationIds, platform),
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
  platform: Platform,
): Promise<ReadonlySet<string>> {
  const { ASSAY_MEMORY_INDEXING: indexing } = platform.config;
  if (indexing === 'off') return new Set();
  const ids =
    indexing === 'on' ? organizationIds : await filterSearching(organizationIds, platform.models);
  return filterByPlan(platform, ids, listFeaturePlans('memorySearch'));
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
