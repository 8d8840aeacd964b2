// Reads stored documents with their contents decrypted, in runs that share one key look-up (rows list, verify, export).
import type { mongo } from 'mongoose';
import { readBatches } from '../bson-reader.ts';
import type { Contents, EncryptedDocument } from './contents.ts';

interface Reading<D extends EncryptedDocument | null> {
  /** 24 hex digits. */
  organizationId: string;
  /** Absent: encrypted values stay encrypted. */
  contents?: Contents | undefined;
  /** Reads one document; null is yielded as it is. */
  read: (bytes: Buffer) => D;
  /** An abort ends the reading after the current batch. */
  signal?: AbortSignal | undefined;
}

const RUN = 64;
/** Bytes of a run; the document that exceeds them is its last. */
const RUN_BYTES = 1024 * 1024;

/** Yields runs of decrypted documents, in the order of the cursor. The cursor MUST return raw documents. */
export async function* readDecryptedEntries<D extends EncryptedDocument | null>(
  cursor: mongo.AbstractCursor<Buffer>,
  { organizationId, contents, read, signal }: Reading<D>,
): AsyncGenerator<readonly D[]> {
  for await (const batch of readBatches(cursor, signal))
    for (const run of splitRuns(batch)) {
      const documents = run.map(read);
      const readable = documents.filter((document) => document !== null);
      await contents?.decryptInPlace(organizationId, readable);
      yield documents;
    }
}

function* splitRuns(batch: readonly Buffer[]): Generator<Buffer[]> {
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
