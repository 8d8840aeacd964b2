// Runs the consumers of an organisation that are at the same place in one transaction: a few commands instead of a few for each (bench row ingest/R1).
import { groupBy } from '../../domain/group-by.ts';
import { MAJORITY } from '../read-write-concerns.ts';
import type { Stored } from '../entry.ts';
import { objectId } from '../ledger.model.ts';
import {
  type ConsumerStepDeps,
  BATCH,
  entriesFor,
  inTransaction,
  moveCursors,
  type TransactionalConsumer,
} from './consumer.ts';
import type { TailReader } from './tail-reader.ts';

/** Runs of one turn. */
const RUNS_MAX = 20;

/** Consumers whose cursors are at one place. */
interface Place {
  consumers: readonly TransactionalConsumer[];
  from: number;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The names of those that have reached the end of the chain. The others have their turn each by itself, all of them after a
 * failure, so that it shows whose it was.
 */
export async function runTogether(
  consumers: readonly TransactionalConsumer[],
  tail: TailReader,
  deps: ConsumerStepDeps,
): Promise<ReadonlySet<string>> {
  try {
    const place = await commonPlace(consumers, tail, deps);
    return place.consumers.length > 1 ? await runFrom(place, tail, deps) : NONE;
  } catch {
    return NONE;
  }
}

/** Where most of them are. */
async function commonPlace(
  consumers: readonly TransactionalConsumer[],
  { organizationId }: TailReader,
  { cursors }: ConsumerStepDeps,
): Promise<Place> {
  const names = consumers.map(({ name }) => name);
  const filter = { organizationId: objectId(organizationId), consumer: { $in: names } };
  const found = await cursors.collection.find(filter, MAJORITY).toArray();
  const places = [...groupBy(found, ({ sequence }) => sequence)];
  const [from, rows] = places.sort(([, a], [, b]) => b.length - a.length)[0] ?? [0, []];
  const there = new Set(rows.map(({ consumer }) => consumer));
  return { from, consumers: consumers.filter(({ name }) => there.has(name)) };
}

async function runFrom(
  { consumers, from: start }: Place,
  tail: TailReader,
  deps: ConsumerStepDeps,
): Promise<ReadonlySet<string>> {
  const names = consumers.map(({ name }) => name);
  let from = start;
  for (let count = 0; count < RUNS_MAX; count++) {
    const { entries, isLast } = await tail.after(from, BATCH);
    const to = entries.at(-1)?.sequence ?? from;
    if (to > from) await step({ consumers, from, to, entries }, tail, deps);
    if (isLast) return new Set(names);
    from = to;
  }
  return NONE;
}

interface JointRun extends Place {
  to: number;
  entries: readonly Stored[];
}

/** All effects and all cursors, or nothing. @throws CursorConflict, and whatever a consumer throws */
async function step(
  { consumers, from, to, entries }: JointRun,
  { organizationId }: TailReader,
  deps: ConsumerStepDeps,
): Promise<void> {
  const names = consumers.map(({ name }) => name);
  await inTransaction(deps.connection, async (session) => {
    // First: another instance that runs them is met before anything is done.
    await moveCursors({ organizationId, names, from, to }, deps, session);
    for (const consumer of consumers) {
      const followed = entriesFor(consumer, entries);
      if (followed.length > 0) await consumer.run(followed, { session, organizationId });
    }
    await deps.probe('effects-written', organizationId);
  });
  await deps.probe('cursor-moved', organizationId);
}
