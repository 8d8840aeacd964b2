// Follows the ledger for the memory search, in organisations whose plan has it and that have searched.
import type { Types } from 'mongoose';
import { listFeaturePlans } from '../../../domain/identity/plans.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import { type MemoryIndex, toIndexerName } from './memory-index.ts';
import type { MemoryUseDocument } from './memory-uses.model.ts';

type Indexed = Pick<Platform, 'models' | 'config'>;

/** Decisions of one run; each may have megabytes. */
const BATCH = 64;
/** Limits consecutive runs: embedding is the slowest consumer, and alerts must not wait for all of it. */
const RUNS_IN_TURN = 2;

export function createTraceVectorsConsumer(
  platform: Indexed,
  memory: MemoryIndex,
): Consumer<TraceDocument> {
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
  { models, config }: Indexed,
): Promise<ReadonlySet<string>> {
  const { ASSAY_MEMORY_INDEXING: indexing } = config;
  if (indexing === 'off') return new Set();
  const ids = indexing === 'on' ? organizationIds : await filterSearching(organizationIds, models);
  const where = {
    _id: { $in: ids },
    'subscription.plan': { $in: listFeaturePlans('memorySearch') },
  };
  const found = await models.organizations.find(where, '_id').lean<{ _id: Types.ObjectId }[]>();
  return new Set(found.map(({ _id }) => _id.toHexString()));
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
