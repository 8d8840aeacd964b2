// Keeps the newest state of each sum apart from the chain, so that sums can be listed.
import { isGrantKey } from '../../domain/grants/grant-use.ts';
import { readCommittedState } from '../../domain/record/committed-state.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { Stored } from '../../ledger/entry.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import type { Models } from '../../models.ts';

type Limited = Stored & { traceId: string };

export function createBudgetSumsConsumer(models: Models): Consumer<Limited> {
  return {
    name: 'budget-sums',
    from: 'start',
    kinds: ['trace', 'review', 'execution'],
    projection: { spent: 1, traceId: 1, createdAt: 1, 'sealed.state': 1 },
    async consume(entries, { session, organizationId }) {
      const updates = [...mergeChanges(entries.flatMap(listChanges))].map(
        ([key, { first, set }]) => ({
          updateOne: {
            filter: { organizationId, key },
            update: { $set: set, $setOnInsert: first },
            upsert: true,
          },
        }),
      );
      if (updates.length > 0) await models.budgetSums.bulkWrite(updates, { session });
    },
  };
}

type Change = ReturnType<typeof listChanges>[number];

/** Keeps of each sum the newest state, and of the first change what a new document needs. */
function mergeChanges(changes: readonly Change[]): ReadonlyMap<string, Change> {
  const merged = new Map<string, Change>();
  for (const change of changes)
    merged.set(change.key, { ...change, first: merged.get(change.key)?.first ?? change.first });
  return merged;
}

/** The sums that an entry changed. Only an entry that reserves says of which limit one is; it comes first. */
function listChanges({ spent = [], sealed, sequence, createdAt, traceId }: Limited) {
  if (spent.length === 0) return [];
  const { limits = [] } = readCommittedState(sealed);
  const ofLimits = spent.filter(({ key }) => !isGrantKey(key));
  return ofLimits.map(({ key, slots }) => {
    const limit = limits.find((one) => one.key === key);
    const policyId = toObjectId(key.slice(0, 24));
    return {
      key,
      first: { policyId, ...(limit && { of: limit.of, per: limit.per, window: limit.window }) },
      set: { slots, sequence, changedAt: createdAt, traceId },
    };
  });
}
