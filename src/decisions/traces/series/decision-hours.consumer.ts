// Counts decisions by hour, workspace, agent and verdict, for charts.
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Models } from '../../../models.ts';
import { floorToBucket } from '../../../domain/series.ts';
import type { TraceDocument, Verdict } from '../traces.model.ts';

interface HourCounts {
  place: { workspaceId: string; agentId: string | null; hour: Date };
  counts: Partial<Record<Verdict, number>>;
}

export function createDecisionHoursConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: 'decision-hours',
    from: 'start',
    kinds: ['trace'],
    projection: {
      workspaceId: 1,
      agentId: 1,
      agentName: 1,
      verdict: 1,
      timestamp: 1,
      createdAt: 1,
    },
    async consume(entries, { session, organizationId }) {
      const updates = countHours(entries).map(({ place, counts: $inc }) => ({
        updateOne: { filter: { organizationId, ...place }, update: { $inc }, upsert: true },
      }));
      if (updates.length > 0) await models.decisionHours.bulkWrite(updates, { session });
    },
  };
}

/** Counts each decision for its workspace, and for its agent if that is registered. */
function countHours(entries: readonly TraceDocument[]): HourCounts[] {
  const rows = new Map<string, HourCounts>();
  for (const { workspaceId, agentId, agentName, verdict, timestamp, createdAt } of entries) {
    // An erased decision says no more when it was made.
    const hour = floorToBucket(timestamp ?? createdAt, 'hour');
    for (const counted of agentName === null ? [null] : [null, agentId]) {
      const key = JSON.stringify([workspaceId, counted, hour.getTime()]);
      const row = rows.get(key) ?? { place: { workspaceId, agentId: counted, hour }, counts: {} };
      row.counts[verdict] = (row.counts[verdict] ?? 0) + 1;
      rows.set(key, row);
    }
  }
  return [...rows.values()];
}
