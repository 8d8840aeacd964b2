// The consumers of a chain: woken by the appender, swept by a job; each effect happens exactly once, after any crash.
import { isReadingContents } from './consumer.ts';
import { CursorCheck, type CursorCheckDeps } from './cursor-check.ts';
import type { Stored } from '../entry.ts';
import { readHeadSequences } from './head-sequences.ts';
import { createConsumerLane, type ConsumerLane, type ConsumerLaneDeps } from './consumer-lane.ts';

export interface ConsumersDeps
  extends Omit<ConsumerLaneDeps, 'name'>, Pick<CursorCheckDeps, 'onCursorFault'> {
  /** Lists ids of organisations, ascending, after the given one. */
  listOrganizationsAfter: (
    organizationId: string | null,
    limit: number,
  ) => Promise<readonly string[]>;
  /** Finds the organisations whose head was noted since. */
  findNotedSince: (since: Date) => Promise<readonly string[]>;
}

/** Organisations per sweep besides the changed ones: a note may be lost. */
const SWEPT = 500;
/** Margin for late notes and different clocks. */
const NOTED_BEFORE_MS = 30_000;
/** How far back a first sweep looks. */
const LOOKS_BACK_MS = 10 * 60_000;

/** Runs all consumers of one chain. Each effect MUST happen exactly once, on any instance and after any crash. */
export interface Consumers {
  /** Creates the cursors of a new organisation in the current transaction. Entries up to `startAt` have no effects. */
  createCursors(organizationId: string, startAt: number): Promise<void>;
  /** Announces new entries; `entries` are those that this instance has appended. Debounced per organisation. */
  wake(organizationId: string, entries?: readonly Stored[]): void;
  /** Compares cursors with changed chains and a rotating slice of the others; wakes organisations that are behind. */
  sweep(): Promise<void>;
  /** Runs everything to the end of the chains now; for tests and scripts. */
  runOnce(): Promise<void>;
  /** Returns, by consumer, how many entries the slowest organisation was behind at its last sweep. */
  getLag(): Readonly<Record<string, number>>;
  /** Waits for running rounds and starts no more. */
  stop(): Promise<void>;
}

/** Creates the consumers of one chain; they run until `stop`. */
export function createConsumers(options: ConsumersDeps): Consumers {
  const { connection, chain, consumers, cursors, clock } = options;
  const lanes = createLanes(options);
  const check = new CursorCheck(options);
  let sweptTo: string | null = null;
  let sweptAt: Date | null = null;

  /** Reads the next slice of organisations; the last slice ends a round over all of them. */
  async function readNextSlice(): Promise<{ ids: readonly string[]; isLast: boolean }> {
    const ids = await options.listOrganizationsAfter(sweptTo, SWEPT);
    return { ids, isLast: ids.length < SWEPT };
  }

  async function sweepSome(): Promise<void> {
    const now = clock.now();
    const since = sweptAt?.getTime() ?? now.getTime() - LOOKS_BACK_MS;
    const changed = await options.findNotedSince(new Date(since - NOTED_BEFORE_MS));
    const { ids, isLast } = await readNextSlice();
    await check.compare([...new Set([...changed, ...ids, ...check.listBehind()])]);
    if (isLast) await check.noteBegun();
    sweptTo = isLast ? null : (ids.at(-1) ?? null);
    sweptAt = now;
  }

  async function findBehind(): Promise<string[]> {
    const heads = await readHeadSequences(connection.collection(chain.collection));
    await check.compare([...heads.keys()]);
    await check.noteBegun();
    return check.listBehind();
  }

  function wake(organizationId: string, entries: readonly Stored[] = []): void {
    for (const lane of lanes) lane.wake(organizationId, entries);
  }

  return {
    async createCursors(organizationId, startAt) {
      await cursors.insertMany(
        consumers.map(({ name }) => ({ consumer: name, organizationId, sequence: startAt })),
      );
    },
    wake,
    async sweep() {
      await sweepSome();
      for (const organizationId of check.listBehind()) wake(organizationId);
    },
    async runOnce() {
      // Several rounds are needed where a debounced run moves the same cursors in the meantime.
      for (let behind = await findBehind(); behind.length > 0; behind = await findBehind()) {
        for (const organizationId of behind)
          for (const lane of lanes) await lane.runToEnd(organizationId);
      }
    },
    getLag: () => check.computeLags(),
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

/** Creates the lanes. Consumers that read contents have their own: opening contents takes long. */
function createLanes({ consumers, ...deps }: ConsumersDeps): ConsumerLane[] {
  const others = consumers.filter((consumer) => !isReadingContents(consumer));
  return [
    { name: 'plain', consumers: others },
    { name: 'contents', consumers: consumers.filter(isReadingContents) },
  ].flatMap((lane) => (lane.consumers.length > 0 ? createConsumerLane({ ...deps, ...lane }) : []));
}
