// Runs consumers of an organisation that are at the same place in one transaction, to save commands (row ingest/R1).
import { groupBy } from '../../domain/group-by.ts';
import { MAJORITY } from '../read-write-concerns.ts';
import { objectId } from '../ledger.model.ts';
import {
  type ConsumerStepDeps,
  CursorHeld,
  entriesFor,
  runTransaction,
  type TransactionalConsumer,
} from './consumer.ts';
import type { Pauses } from './pauses.ts';
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
interface Place extends Group {
  from: number;
}

/** The result of a joined run. */
export interface JointEnd {
  /** Names of the consumers that need no run of their own: they reached the end of the chain, or wait for a cursor. */
  settled: ReadonlySet<string>;
  /** Milliseconds until the next attempt, because another transaction holds the cursors; 0: none does. */
  heldMs: number;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Runs consumers together; returns those that are done. The caller MUST run the others one by one; after a failure
 * these are all of them, which shows the culprit. It never rejects.
 */
export async function runTogether(
  group: Group,
  tail: TailReader,
  deps: ConsumerStepDeps & { pauses: Pauses },
): Promise<JointEnd> {
  const { pauses } = deps;
  const { consumers } = group;
  const key = tail.organizationId;
  const held = (ms: number): JointEnd => ({ settled: namesOf(consumers), heldMs: ms });
  if (consumers.length < 2) return { settled: NONE, heldMs: 0 };
  if (pauses.left(key) > 0) return held(pauses.left(key));
  try {
    const place = await commonPlace(group, tail, deps);
    const settled = place.consumers.length > 1 ? await runFrom(place, tail, deps) : NONE;
    pauses.end(key);
    return { settled, heldMs: 0 };
  } catch (error) {
    return error instanceof CursorHeld ? held(pauses.begin(key)) : { settled: NONE, heldMs: 0 };
  }
}

function namesOf(consumers: readonly TransactionalConsumer[]): ReadonlySet<string> {
  return new Set(consumers.map(({ name }) => name));
}

/** Finds the sequence at which most cursors are, and the consumers there. */
async function commonPlace(
  { consumers, size }: Group,
  { organizationId }: TailReader,
  { cursors }: ConsumerStepDeps,
): Promise<Place> {
  const names = consumers.map(({ name }) => name);
  const filter = { organizationId: objectId(organizationId), consumer: { $in: names } };
  const found = await cursors.collection.find(filter, MAJORITY).toArray();
  const places = [...groupBy(found, ({ sequence }) => sequence)];
  const [from, rows] = places.sort(([, a], [, b]) => b.length - a.length)[0] ?? [0, []];
  const there = new Set(rows.map(({ consumer }) => consumer));
  return { from, size, consumers: consumers.filter(({ name }) => there.has(name)) };
}

async function runFrom(
  { consumers, size, from: start }: Place,
  tail: TailReader,
  deps: ConsumerStepDeps,
): Promise<ReadonlySet<string>> {
  const { organizationId } = tail;
  let from = start;
  for (let count = 0; count < RUNS_MAX; count++) {
    const { entries, isLast } = await tail.after(from, size);
    const to = entries.at(-1)?.sequence ?? from;
    const runs = consumers.map((consumer) => ({
      consumer,
      entries: entriesFor(consumer, entries),
    }));
    if (to > from) await runTransaction({ organizationId, from, to, runs }, deps);
    if (isLast) return namesOf(consumers);
    from = to;
  }
  return NONE;
}
