// Follows the ledger for the memory search, in organisations whose plan has it.
import type { Types } from 'mongoose';
import { plansWith } from '../../../domain/identity/plans.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Platform } from '../../../composition/platform.ts';
import type { TraceDocument } from '../traces.model.ts';

type Deps = Pick<Platform, 'models' | 'memory' | 'config'>;

/** Decisions of one run; each may have megabytes. */
const BATCH = 64;
/** Words take longer than anything else that follows the ledger: alerts do not wait until all are indexed. */
const RUNS_IN_TURN = 2;

/** A cursor of its own for each model: another one begins at the first entry, and so replaces all vectors. */
export function traceVectorsConsumer({ models, memory, config }: Deps): Consumer<TraceDocument> {
  return {
    name: `trace-vectors:${memory.model}`,
    from: 'start',
    async beginsIn(organizationIds) {
      if (config.ASSAY_MEMORY_INDEXING === 'off') return new Set();
      const plans = plansWith('memorySearch');
      const where = { _id: { $in: organizationIds }, 'subscription.plan': { $in: plans } };
      const found = await models.organizations.find(where, '_id').lean<{ _id: Types.ObjectId }[]>();
      return new Set(found.map(({ _id }) => _id.toHexString()));
    },
    kinds: ['trace', 'correction', 'erasure'],
    batch: BATCH,
    runsInTurn: RUNS_IN_TURN,
    projection: { traceId: 1 },
    transactional: false,
    run: (entries, { organizationId }) =>
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
