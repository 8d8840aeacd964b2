// Runs consumers of an organisation that are at the same place in one transaction, to save commands (row ingest/R1).
import { groupBy } from '../../domain/group-by.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { toObjectId } from '../ledger.model.ts';
import {
  type ConsumerStepDeps,
  CursorTaken,
  filterEntries,
  runTransaction,
  type TransactionalConsumer,
} from './consumer.ts';
import type { BackoffByKey } from '../../platform/concurrency/backoff.ts';
import type { TailReader } from './tail-reader.ts';

/** Runs of one round. */
const RUNS_MAX = 20;

/** Consumers that may run together. */
interface Group {
  consumers: readonly TransactionalConsumer[];
  /** Entries per run: the smallest batch of the group. */
  size: number;
}

/** The consumers of a group whose cursors are at the same sequence. */
interface CursorPlace extends Group {
  from: number;
}

/** The result of a joined run. */
export interface JointEnd {
  /** Names of the consumers that need no run of their own: they reached the end of the chain, or wait for a cursor. */
  settled: ReadonlySet<string>;
  /** Milliseconds until the next attempt, because another transaction has taken the cursors; 0: none does. */
  takenMs: number;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Runs consumers together; returns those that are done. The caller MUST run the others one by one; after a failure
 * these are all of them, which shows the culprit. It never rejects.
 */
export async function runTogether(
  group: Group,
  tail: TailReader,
  deps: ConsumerStepDeps & { pauses: BackoffByKey },
): Promise<JointEnd> {
  const { pauses } = deps;
  const { consumers } = group;
  const key = tail.organizationId;
  const toTakenEnd = (ms: number): JointEnd => ({ settled: listNames(consumers), takenMs: ms });
  if (consumers.length < 2) return { settled: NONE, takenMs: 0 };
  if (pauses.getRemainingMs(key) > 0) return toTakenEnd(pauses.getRemainingMs(key));
  try {
    const place = await findCommonPlace(group, tail, deps);
    const settled = place.consumers.length > 1 ? await runFrom(place, tail, deps) : NONE;
    pauses.clear(key);
    return { settled, takenMs: 0 };
  } catch (error) {
    return error instanceof CursorTaken
      ? toTakenEnd(pauses.begin(key))
      : { settled: NONE, takenMs: 0 };
  }
}

function listNames(consumers: readonly TransactionalConsumer[]): ReadonlySet<string> {
  return new Set(consumers.map(({ name }) => name));
}

/** Finds the sequence at which most cursors are, and the consumers there. */
async function findCommonPlace(
  { consumers, size }: Group,
  { organizationId }: TailReader,
  { cursors }: ConsumerStepDeps,
): Promise<CursorPlace> {
  const names = consumers.map(({ name }) => name);
  const filter = { organizationId: toObjectId(organizationId), consumer: { $in: names } };
  const found = await cursors.collection.find(filter, MAJORITY).toArray();
  const places = [...groupBy(found, ({ sequence }) => sequence)];
  const [from, rows] = places.sort(([, a], [, b]) => b.length - a.length)[0] ?? [0, []];
  const there = new Set(rows.map(({ consumer }) => consumer));
  return { from, size, consumers: consumers.filter(({ name }) => there.has(name)) };
}

async function runFrom(
  { consumers, size, from: start }: CursorPlace,
  tail: TailReader,
  deps: ConsumerStepDeps,
): Promise<ReadonlySet<string>> {
  const { organizationId } = tail;
  let from = start;
  for (let count = 0; count < RUNS_MAX; count++) {
    const { entries, isLast } = await tail.readAfter(from, size);
    const to = entries.at(-1)?.sequence ?? from;
    const runs = consumers.map((consumer) => ({
      consumer,
      entries: filterEntries(consumer, entries),
    }));
    if (to > from) await runTransaction({ organizationId, from, to, runs }, deps);
    if (isLast) return listNames(consumers);
    from = to;
  }
  return NONE;
}
