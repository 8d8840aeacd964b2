// Adds the chain hashes of entries to their index.
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { Models } from '../../../models.ts';
import { createHashIndex } from './hash-segments.ts';

export function createChainHashesConsumer(
  models: Pick<Models, 'hashSegments'>,
): TransactionalConsumer {
  const index = createHashIndex(models);
  return {
    name: 'chain-hashes',
    from: 'start',
    projection: { chainHash: 1 },
    async consume(entries, { session, organizationId }) {
      const sequences = entries.slice(0, 1).map(({ sequence }) => sequence);
      const segments = await index.open(organizationId, sequences, session);
      for (const { sequence, chainHash } of entries) index.add({ sequence, chainHash }, segments);
      await index.write(organizationId, segments, session);
    },
  };
}
