// Purges decisions recorded before a given time: empties and hides them, like bulk deletion (document 2, section 4.1).
import type { Context } from '../../../platform/context.ts';
import { removeDecisions } from './bulk.service.ts';
import { AppError } from '../../../errors.ts';
import type { TraceDocument } from '../traces.model.ts';
import { BULK_LIMIT, type Purged } from '../traces.schemas.ts';

/** Maximum number of decisions of one call. */
export const PURGE_LIMIT = 5000;
/** Longer than for other reads: the query skips everything that was purged earlier. */
const FIND_MAX_MS = 60_000;

/** Oldest first, in the chosen workspace. @throws AppError `VALIDATION_ERROR` for a future date, `CONFLICT` */
export async function purgeDecisions(ctx: Context, before: Date): Promise<Purged> {
  if (before > ctx.platform.clock.now())
    throw new AppError('VALIDATION_ERROR', 'before: must not be in the future');
  let [purged, after] = [0, 0];
  while (purged < PURGE_LIMIT) {
    const found = await findOldest(ctx, { before, after });
    const last = found.at(-1);
    if (!last) return { before, purged, hasMore: false };
    after = last.sequence;
    const ids = found.map(({ _id }) => _id.toHexString());
    purged += (await removeDecisions(ctx, ids, 'purge')).changed;
    if (found.length < BULK_LIMIT) return { before, purged, hasMore: false };
  }
  return { before, purged, hasMore: true };
}

/** The oldest decisions that are left after a sequence. */
function findOldest(
  { platform, tenant: { organizationId, workspaceId } }: Context,
  { before, after }: { before: Date; after: number },
): Promise<Pick<TraceDocument, '_id' | 'sequence'>[]> {
  return platform.models.traces
    .find({
      organizationId,
      deletedAt: null,
      createdAt: { $lt: before },
      sequence: { $gt: after },
      ...(workspaceId !== null && { workspaceId }),
    })
    .select('sequence')
    .sort({ sequence: 1 })
    .limit(BULK_LIMIT)
    .maxTimeMS(FIND_MAX_MS)
    .lean<Pick<TraceDocument, '_id' | 'sequence'>[]>();
}
