// How far a chain goes, for what is to follow it from here on.
import type { Model } from 'mongoose';
import { SEQUENCES } from '../chains.ts';
import type { Sealed } from '../entry.ts';

/** Zero: the chain is empty. Within a transaction, as of its snapshot, which holds every entry that was acknowledged before. */
export async function headSequence<T extends Sealed>(
  entries: Model<T>,
  organizationId: string,
): Promise<number> {
  const newest = await entries
    .findOne({ organizationId, sequence: SEQUENCES } as never, 'sequence')
    .sort({ sequence: -1 })
    .lean<Pick<T, 'sequence'>>();
  return newest?.sequence ?? 0;
}
