// Reads stored documents with their contents opened, a run at a time: many keys, and many documents, take hardly longer than one (rows list, verify, export).
import type { mongo } from 'mongoose';
import { batchesOf } from '../bson-reader.ts';
import type { Contents, Lockable } from './contents.ts';

interface Opening<D extends Lockable | null> {
  /** 24 hex digits. */
  organizationId: string;
  /** Absent: what is locked stays locked. */
  contents?: Contents | undefined;
  /** Null: it is passed on as it is. */
  read: (bytes: Buffer) => D;
  /** Reading ends after the batch under way. */
  signal?: AbortSignal | undefined;
}

const RUN = 64;
/** A document that goes beyond it is the last of its run. */
const RUN_BYTES = 1024 * 1024;

/** Runs of documents, in the order of their bytes. */
export async function* openedEntries<D extends Lockable | null>(
  cursor: mongo.AbstractCursor<Buffer>,
  { organizationId, contents, read, signal }: Opening<D>,
): AsyncGenerator<readonly D[]> {
  for await (const batch of batchesOf(cursor, signal))
    for (const run of runsOf(batch)) {
      const documents = run.map(read);
      const readable = documents.filter((document) => document !== null);
      await contents?.openInPlace(organizationId, readable);
      yield documents;
    }
}

function* runsOf(batch: readonly Buffer[]): Generator<Buffer[]> {
  let run: Buffer[] = [];
  let bytes = 0;
  for (const document of batch) {
    run.push(document);
    bytes += document.length;
    if (run.length < RUN && bytes < RUN_BYTES) continue;
    yield run;
    [run, bytes] = [[], 0];
  }
  if (run.length > 0) yield run;
}
