// Parts of entries that are kept in memory, for replays and for consumers, and how large they are.
import type { Stored } from './entry.ts';

type Members = Record<string, unknown>;

/** Makes copies with these members, given by dotted path, and no other but `_id`. Taking the paths apart for each entry took four times as long (row ingest/R1). */
export function partsBy(paths: readonly string[]): (entry: Stored) => Stored {
  const members = paths.map((path) => path.split('.'));
  return (entry) => {
    const part: Members = { _id: entry._id };
    for (const path of members) copy(entry, part, path);
    return part as Stored;
  };
}

function copy(from: Members, to: Members, path: readonly string[], at = 0): void {
  const name = path[at] as string;
  const value = from[name];
  if (value === undefined) return;
  if (at === path.length - 1) to[name] = value;
  else if (isMembers(value)) copy(value, (to[name] ??= {}) as Members, path, at + 1);
}

/** What each value takes besides its characters, roughly. */
const OVERHEAD = 48;

/** Bytes that a copy takes in memory, roughly and rather too many. */
export function bytesHeld(value: unknown): number {
  if (typeof value === 'string') return OVERHEAD + 2 * value.length;
  let bytes = OVERHEAD;
  if (Array.isArray(value)) for (const item of value) bytes += bytesHeld(item);
  else if (isMembers(value)) for (const name in value) bytes += bytesHeld(value[name]);
  return bytes;
}

/** A plain object: ids, dates and buffers are values. */
function isMembers(value: unknown): value is Members {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
