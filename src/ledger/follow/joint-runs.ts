// Runs the consumers of an organisation that are at the same place in one transaction: a few commands instead of a few for each (bench row ingest/R1).
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

/** Runs of one turn. */
const RUNS_MAX = 20;

/** Consumers that may run together. */
interface Group {
  consumers: readonly TransactionalConsumer[];
  /** Entries of one run: what each of them takes. */
  size: number;
}

/** Those of a group whose cursors are at one place. */
interface Place extends Group {
  from: number;
}

/** How consumers ran together. */
export interface JointEnd {
  /** The names of those that need no turn of their own: they have reached the end of the chain, or are held. */
  settled: ReadonlySet<string>;
  /** Milliseconds after which to try again, for another transaction holds their cursors; 0: none does. */
  heldMs: number;
}

const NONE: ReadonlySet<string> = new Set();

/** Those that are not settled have their turn each by itself, all of them after a failure, so that it shows whose it was. */
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

/** Where most of them are. */
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
