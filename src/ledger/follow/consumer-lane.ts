// Consumers that are woken together and have their rounds one after another: none of them holds up those of another lane.
import { BATCH, type Consumer, jointBatchOf, type TransactionalConsumer } from './consumer.ts';
import { ConsumerRunner, type RunnerDeps } from './consumer-runner.ts';
import { Debouncer } from './debouncer.ts';
import type { Stored } from '../entry.ts';
import { runTogether } from './joint-runs.ts';
import { LandedEntries } from './landed-entries.ts';
import { Pauses, type PausesDeps } from './pauses.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import type { Probe } from '../probe.ts';
import { sleep } from '../timer.ts';
import { type TurnDeps, turnAt } from '../turns.ts';

export interface ConsumerLaneDeps
  extends Omit<RunnerDeps, 'probe' | 'pauses'>, PausesDeps, TurnDeps {
  /** Never changes while instances run: workers take turns by it. */
  name: string;
  consumers: readonly Consumer[];
  probe?: Probe;
}

/** What follows without its turn is safe, for cursors decide; it costs what the other does twice. */
const PATIENCE_MS = 5_000;

export interface ConsumerLane {
  /** There are new entries, given where this instance has appended them; debounced per organisation. */
  wake(organizationId: string, entries: readonly Stored[]): void;
  /** Runs all consumers to the end of a chain now. */
  catchUp(organizationId: string): Promise<void>;
  /** Waits for what is running and starts nothing more. */
  stop(): Promise<void>;
}

export function createConsumerLane(options: ConsumerLaneDeps): ConsumerLane {
  const { name, connection, chain, consumers, timer } = options;
  const deps = { ...options, probe: options.probe ?? (() => {}), pauses: new Pauses(options) };
  const runner = new ConsumerRunner(deps);
  const debouncer = new Debouncer(timer, runInTurn);
  const projection = projectionOf(consumers);
  const landed = new LandedEntries({ connection, chain, projection });
  /** Organisations of which some consumer has more to do. */
  const unfinished = new Set<string>();

  /** Runs together those that can; the others, and what they read in this round. `passed`: what the former have had, when that is known. */
  async function joined(organizationId: string, passed: number | null) {
    const known = await landed.inRow(organizationId, passed);
    const tail = new TailReader({ connection, chain, organizationId, projection, landed: known });
    const together: TransactionalConsumer[] = [];
    let size = BATCH;
    for (const consumer of consumers) {
      const batch = await jointBatchOf(consumer, organizationId);
      if (batch === null || runner.isRetrying(consumer, organizationId)) continue;
      together.push(consumer as TransactionalConsumer);
      size = Math.min(size, batch);
    }
    const { settled, heldMs } = await runTogether({ consumers: together, size }, tail, deps);
    const rest = consumers.filter((consumer) => !settled.has(consumer.name));
    const knownTo = known.at(-1)?.sequence ?? 0;
    const haveAll = heldMs === 0 && together.every((consumer) => settled.has(consumer.name));
    return { tail, heldMs, rest, knownTo, togetherTo: haveAll ? knownTo : 0 };
  }

  /** Resolves with the sequence that those that run together have passed, 0 when that is not known. */
  async function runAll(organizationId: string, passed: number | null): Promise<number> {
    const { tail, rest, heldMs, knownTo, togetherTo } = await joined(organizationId, passed);
    let isBehind = heldMs > 0;
    if (heldMs > 0) debouncer.wakeLater(organizationId, heldMs);
    for (const consumer of rest) {
      const end = await runner.run(consumer, tail);
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
    const turn = await turnAt(`follow:${name}:${organizationId}`, PATIENCE_MS, options);
    const before = turn.note === null ? null : Number(turn.note);
    let after = before ?? 0;
    try {
      const isDone = !unfinished.delete(organizationId) && dropFollowed(organizationId, before);
      if (!isDone) after = Math.max(after, await runAll(organizationId, before));
    } finally {
      turn.pass(after > 0 ? String(after) : null);
    }
  }

  /** Drops what was appended here and another worker has followed; whether that was all of it. */
  function dropFollowed(organizationId: string, passed: number | null): boolean {
    if (passed === null || !landed.has(organizationId)) return false;
    landed.passed(organizationId, passed);
    return !landed.has(organizationId);
  }

  async function catchUpOne(consumer: Consumer, tail: TailReader): Promise<void> {
    for (;;) {
      const end = await runner.run(consumer, tail);
      if (end.kind === 'caught-up') return;
      if (end.kind === 'held') await sleep(timer, end.ms);
      runner.retryNow();
    }
  }

  return {
    wake(organizationId, entries) {
      landed.add(organizationId, entries);
      debouncer.wake(organizationId);
    },
    async catchUp(organizationId) {
      const { tail, rest, heldMs } = await joined(organizationId, null);
      for (const consumer of rest) await catchUpOne(consumer, tail);
      await sleep(timer, heldMs);
    },
    stop: () => debouncer.stop(),
  };
}

/** What consumers read together. */
function projectionOf(consumers: readonly Consumer[]): MemberProjection {
  return Object.assign({}, ...consumers.map((consumer) => consumer.projection)) as MemberProjection;
}
