// Counts the incidents since a time for reports of other resources.
import { countAtMost } from '../../platform/mongo/queries.ts';
import type { Platform } from '../../platform/platform.ts';

type IncidentCounts = Record<'opened' | 'closed' | 'open' | 'breached', number>;

/** Counts what was opened, closed and breached since `from`, and what is open; each count has a bound. */
export async function countIncidents(
  { models }: Platform,
  organizationId: string,
  from: Date,
): Promise<IncidentCounts> {
  const count = (where: object): Promise<number> =>
    countAtMost(models.incidents, { organizationId, ...where });
  const detectedAt = { $gte: from };
  return {
    opened: await count({ detectedAt }),
    closed: await count({ closedAt: { $gte: from } }),
    open: await count({ closedAt: null }),
    breached: await count({ detectedAt, 'clocks.status': 'breached' }),
  };
}
