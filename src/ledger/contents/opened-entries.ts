// Reads stored entries with their contents opened, a run at a time: many keys, and many documents, take hardly longer than one (rows verify, export).
import type { mongo } from 'mongoose';
import type { Contents } from './contents.ts';
import type { Stored } from '../entry.ts';

interface Opening<E extends Stored | null> {
  /** 24 hex digits. */
  organizationId: string;
  /** Absent: what is locked stays locked. */
  contents?: Contents | undefined;
  read: (bytes: Buffer) => E;
}

const RUN = 64;

/** Runs of entries, in the order of their bytes. */
export async function* openedEntries<E extends Stored | null>(
  cursor: mongo.AbstractCursor<Buffer>,
  { organizationId, contents, read }: Opening<E>,
): AsyncGenerator<readonly E[]> {
  for await (const first of cursor) {
    // Asked for one by one, each of them costs a promise.
    const batch = [first, ...cursor.readBufferedDocuments()];
    for (let at = 0; at < batch.length; at += RUN) {
      const run = batch.slice(at, at + RUN).map(read);
      yield contents ? await opened(run, organizationId, contents) : run;
    }
  }
}

async function opened<E extends Stored | null>(
  run: readonly E[],
  organizationId: string,
  contents: Contents,
): Promise<readonly E[]> {
  const found = await contents.open(
    organizationId,
    run.filter((entry) => entry !== null),
  );
  const rest = found[Symbol.iterator]();
  return run.map((entry) => (entry === null ? entry : (rest.next().value as E)));
}
