// Walks a chain: reads and hashes only the links of its entries, not their contents.
import type { mongo } from 'mongoose';
import { computeChainHash } from '../../src/domain/record/chain.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import { readBatches, readDocument } from '../../src/ledger/bson-reader.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { MAJORITY } from '../../src/platform/mongo/concerns.ts';

const LINKS = { _id: 0, sequence: 1, prevHash: 1, payloadDigest: 1, chainHash: 1, createdAt: 1 };
const BATCH = 1_000;

/** @throws Error at the first entry that does not follow the one before, and where there are more or fewer */
export async function walkChain(
  collection: mongo.Collection,
  { organizationId, entries }: { organizationId: string; entries: number },
): Promise<void> {
  const filter = { organizationId: toObjectId(organizationId) };
  const options = { ...MAJORITY, projection: LINKS, raw: true, batchSize: BATCH } as const;
  const found = collection.find<Buffer>(filter, options).sort({ sequence: 1 });
  let previous = DECISIONS.genesis;
  let count = 0;
  for await (const batch of readBatches(found))
    for (const bytes of batch) {
      const { sequence, prevHash, payloadDigest, chainHash: hash, createdAt } = readDocument(bytes);
      count += 1;
      const link = { prevHash, payloadDigest, sequence, createdAt: createdAt.toISOString() };
      if (sequence !== count || prevHash !== previous || computeChainHash(link) !== hash)
        throw new Error(`entry ${sequence} does not follow`);
      previous = hash;
    }
  if (count !== entries) throw new Error(`${count} entries instead of ${entries}`);
}
