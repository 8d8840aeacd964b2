// The consumers of a chain: woken by the appender, swept by a job; each effect exactly once, on any instance, after any crash.
import { readsContents } from './consumer.ts';
import { CursorCheck, type CursorCheckDeps } from './cursor-check.ts';
import type { Stored } from '../entry.ts';
import { headSequences } from './head-sequences.ts';
import { createConsumerLane, type ConsumerLane, type ConsumerLaneDeps } from './consumer-lane.ts';

export interface ConsumersDeps
  extends Omit<ConsumerLaneDeps, 'name'>, Pick<CursorCheckDeps, 'onCursorFault'> {
  /** Ids of organisations, ascending, after the given one. */
  organizationsAfter: (organizationId: string | null, limit: number) => Promise<readonly string[]>;
  /** Organisations of which a head was noted since. */
  notedSince: (since: Date) => Promise<readonly string[]>;
}

/** Organisations that a sweep compares besides those that changed: a note may be lost. */
const SWEPT = 500;
/** Notes are late, and clocks differ. */
const NOTED_BEFORE_MS = 30_000;
/** What a first sweep looks back on. */
const LOOKS_BACK_MS = 10 * 60_000;

export interface Consumers {
  /** Creates the cursors of a new organisation; joins the current transaction. `startAt`: the last sequence without effects. */
  cursorsFor(organizationId: string, startAt: number): Promise<void>;
  /** There are new entries, given where this instance has appended them; debounced per organisation. */
  wake(organizationId: string, entries?: readonly Stored[]): void;
  /** Compares cursors with the chains that changed, and with some others in turn; wakes organisations that are behind. */
  sweep(): Promise<void>;
  /** Runs everything to the end of the chains now; for tests and scripts. */
  runOnce(): Promise<void>;
  /** By consumer: how many entries the slowest organisation is behind, as of the last sweep of it. */
  lag(): Readonly<Record<string, number>>;
  /** Waits for what is running and starts nothing more. */
  stop(): Promise<void>;
}

/** The consumers of one chain. */
export function createConsumers(options: ConsumersDeps): Consumers {
  const { connection, chain, consumers, cursors, clock } = options;
  const lanes = lanesOf(options);
  const check = new CursorCheck(options);
  let sweptTo: string | null = null;
  let sweptAt: Date | null = null;

  /** The next organisations in turn; the last ones end a round in which every organisation was compared. */
  async function nextInTurn(): Promise<{ ids: readonly string[]; isLast: boolean }> {
    const ids = await options.organizationsAfter(sweptTo, SWEPT);
    return { ids, isLast: ids.length < SWEPT };
  }

  async function sweepSome(): Promise<void> {
    const now = clock.now();
    const since = sweptAt?.getTime() ?? now.getTime() - LOOKS_BACK_MS;
    const changed = await options.notedSince(new Date(since - NOTED_BEFORE_MS));
    const { ids, isLast } = await nextInTurn();
    await check.compare([...new Set([...changed, ...ids, ...check.behind()])]);
    if (isLast) await check.noteBegun();
    sweptTo = isLast ? null : (ids.at(-1) ?? null);
    sweptAt = now;
  }

  async function findBehind(): Promise<string[]> {
    const heads = await headSequences(connection.collection(chain.collection));
    await check.compare([...heads.keys()]);
    await check.noteBegun();
    return check.behind();
  }

  function wake(organizationId: string, entries: readonly Stored[] = []): void {
    for (const lane of lanes) lane.wake(organizationId, entries);
  }

  return {
    async cursorsFor(organizationId, startAt) {
      await cursors.insertMany(
        consumers.map(({ name }) => ({ consumer: name, organizationId, sequence: startAt })),
      );
    },
    wake,
    async sweep() {
      await sweepSome();
      for (const organizationId of check.behind()) wake(organizationId);
    },
    async runOnce() {
      // More than one round where a debounced run moves the same cursors meanwhile.
      for (let behind = await findBehind(); behind.length > 0; behind = await findBehind()) {
        for (const organizationId of behind)
          for (const lane of lanes) await lane.catchUp(organizationId);
      }
    },
    lag: () => check.lags(),
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

/** Those that read contents open them, which takes long: they have a lane of their own. */
function lanesOf({ consumers, ...deps }: ConsumersDeps): ConsumerLane[] {
  const others = consumers.filter((consumer) => !readsContents(consumer));
  return [
    { name: 'plain', consumers: others },
    { name: 'contents', consumers: consumers.filter(readsContents) },
  ].flatMap((lane) => (lane.consumers.length > 0 ? createConsumerLane({ ...deps, ...lane }) : []));
}
