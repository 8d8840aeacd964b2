// The consumers of a chain: woken by the appender, swept by a job; each effect exactly once, on any instance, after any crash.
import { ConsumerRunner, type RunnerDeps } from './consumer-runner.ts';
import { type Consumer, mayJoin, readsContents, type TransactionalConsumer } from './consumer.ts';
import type { Stored } from '../entry.ts';
import { runTogether } from './joint-runs.ts';
import { LandedEntries } from './landed-entries.ts';
import { Pauses, type PausesDeps } from './pauses.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import type { Probe } from '../probe.ts';
import { CursorCheck, type CursorCheckDeps } from './cursor-check.ts';
import { headSequences } from './head-sequences.ts';
import { sleep, type Timer } from '../timer.ts';
import { type TurnDeps, turnAt } from '../turns.ts';
import { Debouncer } from './debouncer.ts';

export interface ConsumersDeps
  extends
    Omit<RunnerDeps, 'probe' | 'pauses'>,
    PausesDeps,
    Pick<CursorCheckDeps, 'onCursorFault'>,
    TurnDeps {
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
/** What follows without its turn is safe, for cursors decide; it costs what the other does twice. */
const PATIENCE_MS = 5_000;
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
  const { connection, chain, consumers, timer, cursors, clock } = options;
  const deps = { ...options, probe: options.probe ?? (() => {}), pauses: new Pauses(options) };
  const runner = new ConsumerRunner(deps);
  const debouncer = new Debouncer(timer, runInTurn);
  const withContents = projectionOf(consumers);
  const projection = projectionOf(consumers.filter((consumer) => !readsContents(consumer)));
  const landed = new LandedEntries({ connection, chain, projection: withContents });
  const check = new CursorCheck(options);
  /** Organisations of which some consumer has more to do. */
  const unfinished = new Set<string>();
  let sweptTo: string | null = null;
  let sweptAt: Date | null = null;

  /** Runs together those that can; the others, and how they read in this round. `passed`: what the former have had, when that is known. */
  async function joined(organizationId: string, passed: number | null) {
    const known = await landed.inRow(organizationId, passed);
    const base = { connection, chain, organizationId, landed: known };
    const plain = new TailReader({ ...base, projection });
    const full = new TailReader({ ...base, projection: withContents });
    const together: TransactionalConsumer[] = [];
    for (const consumer of consumers)
      if (!runner.isRetrying(consumer, organizationId) && (await mayJoin(consumer, organizationId)))
        together.push(consumer as TransactionalConsumer);
    const { settled, heldMs } = await runTogether(together, plain, deps);
    const tailOf = (consumer: Consumer): TailReader => (readsContents(consumer) ? full : plain);
    const rest = consumers.filter(({ name }) => !settled.has(name));
    const knownTo = known.at(-1)?.sequence ?? 0;
    const haveAll = heldMs === 0 && together.every(({ name }) => settled.has(name));
    return { tailOf, heldMs, rest, knownTo, togetherTo: haveAll ? knownTo : 0 };
  }

  /** Resolves with the sequence that those that run together have passed, 0 when that is not known. */
  async function runAll(organizationId: string, passed: number | null): Promise<number> {
    const { tailOf, rest, heldMs, knownTo, togetherTo } = await joined(organizationId, passed);
    let isBehind = heldMs > 0;
    if (heldMs > 0) debouncer.wakeLater(organizationId, heldMs);
    for (const consumer of rest) {
      const end = await runner.run(consumer, tailOf(consumer));
      isBehind ||= end.kind !== 'caught-up';
      if (end.kind === 'more') debouncer.wake(organizationId);
      if ('ms' in end) debouncer.wakeLater(organizationId, end.ms);
    }
    if (isBehind) unfinished.add(organizationId);
    else landed.passed(organizationId, knownTo);
    return togetherTo;
  }

  /** One of the workers of a port at a time follows an organisation, and tells the next how far it has come; what is behind goes on where it was run. */
  async function runInTurn(organizationId: string): Promise<void> {
    const turn = await turnAt(`follow:${organizationId}`, PATIENCE_MS, options);
    const before = turn.note === null ? null : Number(turn.note);
    let after = before ?? 0;
    try {
      if (!isFollowed(organizationId, before))
        after = Math.max(after, await runAll(organizationId, before));
    } finally {
      turn.pass(after > 0 ? String(after) : null);
    }
  }

  /** Whether another worker has followed all that was appended here, and nothing is left of a run of this one. */
  function isFollowed(organizationId: string, passed: number | null): boolean {
    const isUnfinished = unfinished.delete(organizationId);
    if (isUnfinished || passed === null || !landed.has(organizationId)) return false;
    landed.passed(organizationId, passed);
    return !landed.has(organizationId);
  }

  async function catchUp(organizationId: string): Promise<void> {
    const { tailOf, rest, heldMs } = await joined(organizationId, null);
    for (const consumer of rest) await catchUpOne(consumer, tailOf(consumer));
    await sleep(timer, heldMs);
  }

  async function catchUpOne(consumer: Consumer, tail: TailReader): Promise<void> {
    for (;;) {
      const end = await runner.run(consumer, tail);
      if (end.kind === 'caught-up') return;
      if (end.kind === 'held') await sleep(timer, end.ms);
      runner.retryNow();
    }
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
    wake(organizationId, entries = []) {
      landed.add(organizationId, entries);
      debouncer.wake(organizationId);
    },
    async sweep() {
      await sweepSome();
      for (const organizationId of check.behind()) debouncer.wake(organizationId);
    },
    async runOnce() {
      // More than one round where a debounced run moves the same cursors meanwhile.
      for (let behind = await findBehind(); behind.length > 0; behind = await findBehind()) {
        for (const organizationId of behind) await catchUp(organizationId);
      }
    },
    lag: () => check.lags(),
    stop: () => debouncer.stop(),
  };
}

/** What consumers read together. */
function projectionOf(consumers: readonly Consumer[]): MemberProjection {
  return Object.assign({}, ...consumers.map((consumer) => consumer.projection)) as MemberProjection;
}
