// Reads stored entries with their contents opened, some at a time: many keys take hardly longer than one.
import type { Contents } from './contents.ts';
import type { Stored } from '../entry.ts';
import { readIntact } from '../verify/bson-reader.ts';

interface Opening {
  /** 24 hex digits. */
  organizationId: string;
  contents?: Contents | undefined;
}

const RUN = 64;

/** In the order of their bytes; null for what cannot be an entry. */
export async function* openedEntries(
  documents: AsyncIterable<Buffer>,
  opening: Opening,
): AsyncGenerator<Stored | null> {
  let run: (Stored | null)[] = [];
  for await (const bytes of documents) {
    run.push(readIntact(bytes) as Stored | null);
    if (run.length < RUN) continue;
    yield* await opened(run, opening);
    run = [];
  }
  yield* await opened(run, opening);
}

async function opened(
  run: readonly (Stored | null)[],
  { organizationId, contents }: Opening,
): Promise<readonly (Stored | null)[]> {
  if (!contents) return run;
  const found = await contents.open(
    organizationId,
    run.filter((entry) => entry !== null),
  );
  const rest = found[Symbol.iterator]();
  return run.map((entry) => (entry === null ? null : (rest.next().value as Stored)));
}
