// Truncates a chain from outside, which is detected at the next check of the head by its note.
import { vi } from 'vitest';
import { toObjectId, type Harness } from '../../setup/harness.ts';
import type { Owner } from '../../setup/personas.ts';

/** Removes what follows a sequence, once the head of the chain is noted. */
export async function cutChain(
  { db }: Pick<Harness, 'db'>,
  collection: string,
  { organizationId }: Owner,
  after: number,
): Promise<void> {
  const filter = { organizationId: toObjectId(organizationId) };
  const newest = { sort: { sequence: -1 } } as const;
  const isNoted = async (): Promise<boolean> => {
    const head = await db.collection(collection).findOne(filter, newest);
    const noted = await db.collection(`heads_${collection}`).findOne(filter, newest);
    return head !== null && noted?.sequence === head.sequence;
  };
  await vi.waitUntil(isNoted, { timeout: 20_000 });
  await db.collection(collection).deleteMany({ ...filter, sequence: { $gt: after } });
}
