// Counts how often each policy matched, and when last (document 2, Policy `matchCount`, `lastMatched`).
import type { Consumer } from '../ledger/follow/consumer.ts';
import type { Models } from '../models.ts';
import type { TraceDocument } from '../decisions/traces/traces.model.ts';

export function createPolicyStatisticsConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: 'policy-statistics',
    from: 'start',
    kinds: ['trace'],
    projection: { matchedPolicyIds: 1, createdAt: 1 },
    async consume(entries, { session, organizationId }) {
      const matches = new Map<string, { count: number; last: Date }>();
      for (const { matchedPolicyIds, createdAt } of entries) {
        for (const id of matchedPolicyIds)
          matches.set(id, { count: (matches.get(id)?.count ?? 0) + 1, last: createdAt });
      }
      if (matches.size === 0) return;
      await models.policyStatistics.bulkWrite(
        [...matches].map(([_id, { count, last }]) => ({
          updateOne: {
            filter: { _id, organizationId },
            update: { $inc: { matchCount: count }, $max: { lastMatched: last } },
            upsert: true,
          },
        })),
        { session },
      );
    },
  };
}
