// Repairs what a crash left undone: a later fact that is in the chain and not yet shown on its decision.
import type { Consumer } from '../../ledger/consumer.ts';
import type { Fold } from '../../ledger/fold.ts';

const BATCH = 256;

export function foldConsumer(fold: Fold): Consumer {
  return {
    name: 'fold',
    kinds: ['correction', 'review', 'status', 'erasure'],
    batch: BATCH,
    outside: true,
    async run(entries) {
      for (const entry of entries) await fold.applyFold(entry);
    },
  };
}
