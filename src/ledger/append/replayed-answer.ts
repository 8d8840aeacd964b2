// What is remembered of an entry so that its request can be answered again, and how large that is.
import type { Stored } from '../entry.ts';

type Members = Record<string, unknown>;

/** Makes copies with these members, given by dotted path, and no other. Taking the paths apart for each entry took four times as long (row ingest/R1). */
export function answersBy(paths: readonly string[]): (entry: Stored) => Stored {
  const members = paths.map((path) => path.split('.'));
  return (entry) => {
    const answer: Members = { _id: entry._id };
    for (const path of members) copy(entry, answer, { path, at: 0 });
    return answer as Stored;
  };
}

function copy(
  from: Members,
  to: Members,
  { path, at }: { path: readonly string[]; at: number },
): void {
  const name = path[at] as string;
  const value = from[name];
  if (value === undefined) return;
  if (at === path.length - 1) to[name] = value;
  else if (isMembers(value)) copy(value, (to[name] ??= {}) as Members, { path, at: at + 1 });
}

/** What each value takes besides its characters, roughly. */
const OVERHEAD = 48;

/** Bytes that a copy takes in memory, roughly and rather too many. */
export function answerBytes(value: unknown): number {
  if (typeof value === 'string') return OVERHEAD + 2 * value.length;
  let bytes = OVERHEAD;
  if (Array.isArray(value)) for (const item of value) bytes += answerBytes(item);
  else if (isMembers(value)) for (const name in value) bytes += answerBytes(value[name]);
  return bytes;
}

/** A plain object: ids, dates and buffers are values. */
function isMembers(value: unknown): value is Members {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
