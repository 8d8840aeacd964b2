// Migrates escalations without a reason: an encrypted empty text says that there was none.
import type { Connection, mongo } from 'mongoose';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { DECISIONS } from '../chains.ts';
import { type Columns } from '../columns.ts';
import { createContents, ESCALATION } from '../contents/contents.ts';
import type { Stored } from '../entry.ts';
import { createEntryUpdates } from '../entry-updates.ts';
import { createEncryptedValues } from './encrypted-values.ts';

interface Deps {
  connection: Connection;
  keyStore: KeyStore;
  columns: Columns;
}

const UNEXPLAINED = { [ESCALATION]: null, erasedAt: null } as const;

/** Idempotent: after a crash it continues where it stopped. */
export async function encryptMissingReasons({
  connection,
  keyStore,
  columns,
}: Deps): Promise<void> {
  const collection = connection
    .getClient()
    .db(connection.name)
    .collection<Stored>(DECISIONS.collection);
  const contents = createContents(keyStore, () => undefined);
  const updateEntry = createEntryUpdates(collection, columns);
  const { encryptChanges } = createEncryptedValues({ collection, updateEntry, contents });
  const organizations = await collection.distinct('organizationId');
  for (const organizationId of organizations)
    for await (const entry of findUnexplained(collection, organizationId)) {
      const set = await encryptChanges(entry, entry.sequence, { [ESCALATION]: '' });
      const filter = { organizationId, sequence: entry.sequence, ...UNEXPLAINED };
      await updateEntry({ filter, set });
    }
}

/** Finds escalations without a reason whose decision still has its contents; an index holds the escalations. */
function findUnexplained(
  collection: mongo.Collection<Stored>,
  organizationId: Stored['organizationId'],
): mongo.FindCursor<Stored> {
  const escalated = { organizationId, 'review.escalatedAt': { $exists: true, $ne: null } };
  return collection.find({ ...escalated, ...UNEXPLAINED } as mongo.Filter<Stored>, MAJORITY);
}
