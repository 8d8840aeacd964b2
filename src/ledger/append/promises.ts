// Signs promises of a batch while it is inserted: none of this may fail or delay an append.
import type { BatchPromise, EntryPromise, Stored } from '../entry.ts';
import { awaitWithin, type Timer } from '../../platform/concurrency/timer.ts';

/** Time after the insert that a batch waits for its promises, such as an organisation's first; then it is answered. */
const WAIT_MS = 250;

/** Promises that entries will stand in the log of their chain; null: none is given. */
export type PromiseBatch = (
  organizationId: string,
  entries: readonly Stored[],
) => Promise<BatchPromise | null>;

/** The promises of one attempt to insert a batch, by the place of each entry in it. */
export interface PendingPromises {
  /** Resolves shortly, whatever happens. */
  settle(): Promise<(entry: Stored) => EntryPromise | null>;
}

const returnNothing = (): null => null;

/** Starts signing, where something promises entries. */
export function beginPromises(
  organizationId: string,
  entries: readonly Stored[],
  { getPromiser, timer }: { getPromiser?: () => PromiseBatch | null; timer: Timer },
): PendingPromises {
  const signBatch = getPromiser?.() ?? null;
  const signing = signBatch?.(organizationId, entries).catch(returnNothing);
  return {
    async settle() {
      if (!signing) return returnNothing;
      const late = { work: signing, onTimeout: returnNothing };
      const batch = await awaitWithin(timer, WAIT_MS, late);
      if (!batch) return returnNothing;
      const places = new Map(entries.map(({ sequence }, index) => [sequence, index]));
      return ({ sequence }) => {
        const index = places.get(sequence);
        return index === undefined
          ? null
          : { note: batch.note, index, path: batch.listPath(index) };
      };
    },
  };
}
