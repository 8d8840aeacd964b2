// Reads the newest sequence of a chain, for consumers that begin there.
import type { Model } from 'mongoose';
import { SEQUENCES } from '../chains.ts';
import type { Sealed } from '../entry.ts';

/** Reads the newest sequence; 0: the chain is empty. In a transaction it is as of the snapshot. */
export async function readHeadSequence<T extends Sealed>(
  entries: Model<T>,
  organizationId: string,
): Promise<number> {
  const newest = await entries
    .findOne({ organizationId, sequence: SEQUENCES } as never, 'sequence')
    .sort({ sequence: -1 })
    .lean<Pick<T, 'sequence'>>();
  return newest?.sequence ?? 0;
}
