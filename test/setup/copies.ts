// Long lists for tests: copies of one decision, written into the database.
import type { mongo } from 'mongoose';
import type { Stored } from '../../src/ledger/entry.ts';
import { type Harness, openEntry, toObjectId } from './harness.ts';
import type { Owner } from './personas.ts';

type Copier = (first: number, count: number, session?: mongo.ClientSession) => Promise<void>;

/** Resolves with a function that inserts copies of the first decision of an organisation, from a sequence on. */
export async function createCopier(
  { app, db }: Harness,
  { organizationId }: Pick<Owner, 'organizationId'>,
): Promise<Copier> {
  const ledger = db.collection('ledger');
  const stored = await ledger.findOne({ organizationId: toObjectId(organizationId) });
  if (!stored) throw new Error('nothing was stored');
  const { _id, idempotencyKey: _unique, ...rest } = await openEntry(app, stored as Stored);
  const copy = (sequence: number) =>
    Object.assign({}, rest, { sequence, traceId: `copy-${sequence}` });
  return async (first, count, session) => {
    const copies = Array.from({ length: count }, (_copy, at) => copy(first + at));
    await ledger.insertMany(copies, session && { session });
  };
}

/** Inserts copies of the only decision of an organisation. No consumer runs over them. */
export async function insertCopies(
  harness: Harness,
  owner: Pick<Owner, 'organizationId'>,
  count: number,
): Promise<void> {
  // Consumers that were at the decision itself have ended then.
  await harness.app.instance.consumers.runOnce();
  const insert = await createCopier(harness, owner);
  const last = count + 1;
  // At once, since a cursor ahead of its chain is moved back, and one behind it is followed.
  await harness.db.client.withSession((session) =>
    session.withTransaction(async () => {
      await harness.db
        .collection('cursors')
        .updateMany(
          { organizationId: toObjectId(owner.organizationId) },
          { $set: { sequence: last } },
          { session },
        );
      await insert(last, 1, session);
    }),
  );
  await insert(2, count - 1);
}
