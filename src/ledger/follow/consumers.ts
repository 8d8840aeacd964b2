// The consumers of a chain: woken by the appender, swept by a job; each effect exactly once, on any instance, after any crash.
import { ConsumerRunner, type RunnerDeps } from './consumer-runner.ts';
import type { Consumer } from './consumer.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import type { Probe } from '../probe.ts';
import { CursorCheck, type CursorCheckDeps } from './cursor-check.ts';
import { headSequences } from './head-sequences.ts';
import type { Timer } from '../timer.ts';
import { Debouncer } from './debouncer.ts';

export interface ConsumersDeps
  extends Omit<RunnerDeps, 'probe'>, Pick<CursorCheckDeps, 'onCursorFault'> {
  consumers: readonly Consumer[];
  timer: Timer;
  probe?: Probe;
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
  /** There are new entries; debounced per organisation. */
  wake(organizationId: string): void;
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
  const { connection, chain, consumers, timer, cursors, clock } = options;
  const runner = new ConsumerRunner({ ...options, probe: options.probe ?? (() => {}) });
  const debouncer = new Debouncer(timer, runAll);
  const projections = projectionsOf(consumers);
  const check = new CursorCheck(options);
  let sweptTo: string | null = null;
  let sweptAt: Date | null = null;

  const tailOf = ({ batch }: Consumer, organizationId: string): TailReader =>
    new TailReader({
      connection,
      chain,
      organizationId,
      projection: projections.get(batch) ?? {},
    });

  async function runAll(organizationId: string): Promise<void> {
    const tails = new Map<Consumer['batch'], TailReader>();
    for (const consumer of consumers) {
      const tail = tails.get(consumer.batch) ?? tailOf(consumer, organizationId);
      tails.set(consumer.batch, tail);
      const end = await runner.run(consumer, tail);
      if (end.kind === 'more') debouncer.wake(organizationId);
      if (end.kind === 'paused') debouncer.wakeLater(organizationId, end.ms);
    }
  }

  async function catchUp(consumer: Consumer, organizationId: string): Promise<void> {
    while ((await runner.run(consumer, tailOf(consumer, organizationId))).kind !== 'caught-up')
      runner.retryNow();
  }

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

  return {
    async cursorsFor(organizationId, startAt) {
      await cursors.insertMany(
        consumers.map(({ name }) => ({ consumer: name, organizationId, sequence: startAt })),
      );
    },
    wake: (organizationId) => {
      debouncer.wake(organizationId);
    },
    async sweep() {
      await sweepSome();
      for (const organizationId of check.behind()) debouncer.wake(organizationId);
    },
    async runOnce() {
      // More than one round where a debounced run moves the same cursors meanwhile.
      for (let behind = await findBehind(); behind.length > 0; behind = await findBehind()) {
        for (const organizationId of behind) {
          for (const consumer of consumers) await catchUp(consumer, organizationId);
        }
      }
    },
    lag: () => check.lags(),
    stop: () => debouncer.stop(),
  };
}

/** What consumers with the same number read together. Contents are megabytes, so they are for few entries at a time. */
function projectionsOf(
  consumers: readonly Consumer[],
): ReadonlyMap<Consumer['batch'], MemberProjection> {
  const projections = new Map<Consumer['batch'], MemberProjection>();
  for (const { batch, projection } of consumers)
    projections.set(batch, Object.assign({}, projections.get(batch), projection));
  return projections;
}
