// Cuts a stream of entries into runs that are looked at together.
import type { Stored } from './entry.ts';

const RUN = 200;

export async function* takeRuns(entries: AsyncIterable<Stored>): AsyncGenerator<Stored[]> {
  let run: Stored[] = [];
  for await (const entry of entries) {
    run.push(entry);
    if (run.length < RUN) continue;
    yield run;
    run = [];
  }
  if (run.length > 0) yield run;
}
