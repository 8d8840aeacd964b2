// Counts the incidents of a month for reports of other resources.
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { Platform } from '../../platform/platform.ts';

type MonthlyIncidents = Record<'opened' | 'closed' | 'open' | 'breached', number>;

/** Counts what was opened, closed and breached since `from`, and what is open; each count stops at `limit`. */
export async function countIncidents(
  { models }: Platform,
  organizationId: string,
  { from, limit }: { from: Date; limit: number },
): Promise<MonthlyIncidents> {
  const count = (where: object): Promise<number> =>
    models.incidents
      .countDocuments({ organizationId, ...where }, { limit, maxTimeMS: READ_MAX_MS })
      .exec();
  const detectedAt = { $gte: from };
  return {
    opened: await count({ detectedAt }),
    closed: await count({ closedAt: { $gte: from } }),
    open: await count({ closedAt: null }),
    breached: await count({ detectedAt, 'clocks.status': 'breached' }),
  };
}
