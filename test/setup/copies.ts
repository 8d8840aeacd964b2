// Long lists for tests: copies of one decision, written into the database.
import type { Stored } from '../../src/ledger/entry.ts';
import { type Harness, openEntry, toObjectId } from './harness.ts';
import type { Owner } from './personas.ts';

/** Inserts copies of the only decision of an organisation. No consumer runs over them. */
export async function insertCopies(
  { app, db }: Harness,
  owner: Pick<Owner, 'organizationId'>,
  count: number,
): Promise<void> {
  const organizationId = toObjectId(owner.organizationId);
  // Consumers that were at the decision itself have ended then.
  await app.instance.consumers.runOnce();
  const stored = await db.collection('ledger').findOne({ organizationId });
  if (!stored) throw new Error('nothing was stored');
  const { _id, idempotencyKey: _unique, ...rest } = await openEntry(app, stored as Stored);
  await db.collection('cursors').updateMany({ organizationId }, { $set: { sequence: count + 1 } });
  await db
    .collection('ledger')
    .insertMany(
      Array.from({ length: count }, (_copy, at) =>
        Object.assign({}, rest, { sequence: at + 2, traceId: `copy-${at}` }),
      ),
    );
}
