// A lane of consumers that run one after another for each organisation; lanes do not delay each other.
import {
  BATCH,
  type Consumer,
  resolveJointBatchSize,
  type TransactionalConsumer,
} from './consumer.ts';
import { ConsumerRunner, type RunnerDeps } from './consumer-runner.ts';
import { BackoffByKey, type BackoffDeps } from '../../platform/concurrency/backoff.ts';
import { Debouncer } from '../../platform/concurrency/debouncer.ts';
import { sleep } from '../../platform/concurrency/timer.ts';
import type { Stored } from '../entry.ts';
import { runTogether } from './joint-runs.ts';
import { LandedEntries } from './landed-entries.ts';
import { TailReader, type MemberProjection } from './tail-reader.ts';
import type { Probe } from '../probe.ts';
import { type LeaseDeps, acquireLease } from '../worker-lease.ts';

export interface ConsumerLaneDeps
  extends Omit<RunnerDeps, 'probe' | 'pauses'>, BackoffDeps, LeaseDeps {
  /** Name of the lease that workers share; it MUST NOT change while instances run. */
  name: string;
  consumers: readonly Consumer[];
  probe?: Probe;
}

/** Continue without the lease after this time: cursors keep effects exactly-once; the cost is a duplicate read. */
const PATIENCE_MS = 5_000;
/** Rounds of following; a longer pause after a long round costs less under load (row ingest/R1). */
const ROUNDS = { restMs: { least: 250, most: 500 }, restFactor: 5, concurrency: 4 };

/** Runs the consumers of one lane. */
export interface ConsumerLane {
  /** Announces new entries; `entries` are those that this instance has appended. Debounced per organisation. */
  wake(organizationId: string, entries: readonly Stored[]): void;
  /** Runs all consumers to the end of a chain now. */
  runToEnd(organizationId: string): Promise<void>;
  /** Waits for running rounds and starts no more. */
  stop(): Promise<void>;
}

export function createConsumerLane(options: ConsumerLaneDeps): ConsumerLane {
  const { name, connection, chain, consumers, timer } = options;
  const deps = {
    ...options,
    probe: options.probe ?? (() => {}),
    pauses: new BackoffByKey(options),
  };
  const runner = new ConsumerRunner(deps);
  const debouncer = new Debouncer(timer, ROUNDS, runUnderLease);
  const projection = mergeProjections(consumers);
  const landed = new LandedEntries({ connection, chain, projection });
  /** Organisations in which a consumer is behind. */
  const unfinished = new Set<string>();

  /** Runs consumers in one transaction where possible; returns the remaining ones. `consumedTo`: null while unknown. */
  async function runJointly(organizationId: string, consumedTo: number | null) {
    const known = await landed.readContiguous(organizationId, consumedTo);
    const tail = new TailReader({ connection, chain, organizationId, projection, landed: known });
    const together: TransactionalConsumer[] = [];
    let size = BATCH;
    for (const consumer of consumers) {
      const batch = await resolveJointBatchSize(consumer, organizationId);
      if (batch === null || runner.isRetrying(consumer, organizationId)) continue;
      together.push(consumer as TransactionalConsumer);
      size = Math.min(size, batch);
    }
    const { settled, takenMs } = await runTogether({ consumers: together, size }, tail, deps);
    const rest = consumers.filter((consumer) => !settled.has(consumer.name));
    const knownTo = known.at(-1)?.sequence ?? 0;
    const haveAll = takenMs === 0 && together.every((consumer) => settled.has(consumer.name));
    return { tail, takenMs, rest, knownTo, togetherTo: haveAll ? knownTo : 0 };
  }

  /** Runs all consumers; resolves with the sequence that the joined ones have consumed, 0 when it is unknown. */
  async function runAll(organizationId: string, consumedTo: number | null): Promise<number> {
    const { tail, rest, takenMs, knownTo, togetherTo } = await runJointly(
      organizationId,
      consumedTo,
    );
    let isBehind = takenMs > 0;
    if (takenMs > 0) debouncer.enqueueLater(organizationId, takenMs);
    for (const consumer of rest) {
      const end = await runner.runConsumer(consumer, tail);
      isBehind ||= end.kind !== 'caught-up';
      if (end.kind === 'more') debouncer.enqueue(organizationId);
      if ('ms' in end) debouncer.enqueueLater(organizationId, end.ms);
    }
    if (isBehind) unfinished.add(organizationId);
    else landed.trimTo(organizationId, knownTo);
    return togetherTo;
  }

  /** Follows an organisation under its lease, which carries the consumed sequence. A lagging one is retried here. */
  async function runUnderLease(organizationId: string): Promise<void> {
    const lease = await acquireLease(`follow:${name}:${organizationId}`, PATIENCE_MS, options);
    const before = lease.payload === null ? null : Number(lease.payload);
    let after = before ?? 0;
    try {
      const isDone = !unfinished.delete(organizationId) && dropFollowed(organizationId, before);
      if (!isDone) after = Math.max(after, await runAll(organizationId, before));
    } finally {
      lease.release(after > 0 ? String(after) : null);
    }
  }

  /** Drops own entries that another worker has consumed; returns whether those were all. */
  function dropFollowed(organizationId: string, consumedTo: number | null): boolean {
    if (consumedTo === null || !landed.hasEntries(organizationId)) return false;
    landed.trimTo(organizationId, consumedTo);
    return !landed.hasEntries(organizationId);
  }

  async function runConsumerToEnd(consumer: Consumer, tail: TailReader): Promise<void> {
    for (;;) {
      const end = await runner.runConsumer(consumer, tail);
      if (end.kind === 'caught-up') return;
      if (end.kind === 'taken') await sleep(timer, end.ms);
      runner.retryNow();
    }
  }

  return {
    wake(organizationId, entries) {
      landed.addEntries(organizationId, entries);
      debouncer.enqueue(organizationId);
    },
    async runToEnd(organizationId) {
      const { tail, rest, takenMs } = await runJointly(organizationId, null);
      for (const consumer of rest) await runConsumerToEnd(consumer, tail);
      await sleep(timer, takenMs);
    },
    stop: () => debouncer.stop(),
  };
}

/** Merges the members that the consumers read. */
function mergeProjections(consumers: readonly Consumer[]): MemberProjection {
  return Object.assign({}, ...consumers.map((consumer) => consumer.projection)) as MemberProjection;
}
