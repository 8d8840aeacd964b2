// Runs one consumer along one chain: retries with growing pauses, and dead-letters an entry that keeps failing.
import type { Clock } from '../../platform/clock.ts';
import {
  resolveBatchSize,
  type Consumer,
  CursorConflict,
  CursorTaken,
  runStep,
  readNextRun,
  storeDeadLetter,
  toPlaceKey,
  type ConsumerRun,
  type ConsumerStepDeps,
} from './consumer.ts';
import type { BackoffByKey } from '../../platform/concurrency/backoff.ts';
import type { TailReader } from './tail-reader.ts';

/** Attempts at one entry by itself before it is dead-lettered. */
const ATTEMPTS_MAX = 8;
const PAUSE_MAX_MS = 30_000;
/** Consecutive failures that count as transient; then the entries run one by one, since the batch may be at fault. */
const PASSING = 4;
/** Runs of one consumer before other organisations run. */
const RUNS_MAX = 20;

export interface RunnerDeps extends ConsumerStepDeps {
  clock: Clock;
  /** Pauses while another transaction has taken a cursor. */
  pauses: BackoffByKey;
  /** Called when a consumer failed; it is retried. */
  onError: (consumer: string, organizationId: string, error: unknown) => void;
  /** Called when a consumer continued without an entry: an operator has to look at it. */
  onDeadLetter: (consumer: string, organizationId: string, sequence: number) => void;
}

/** State of one consumer and organisation whose last run failed. */
interface RetryState {
  failures: number;
  /** Entries up to here are run one by one, to isolate the one that fails. */
  isolateUntil: number;
  /** Milliseconds since the epoch. */
  notBefore: number;
}

/**
 * Why a runner stopped: it reached the end of the chain, there is more to read, or it pauses for `ms` milliseconds
 * because a run failed (`paused`) or another transaction has taken the cursor (`taken`).
 */
export type RunEnd =
  | { kind: 'caught-up' }
  | { kind: 'more' }
  | { kind: 'paused' | 'taken'; ms: number };

/** Runs consumers along the chains of organisations and keeps their retry state. */
export class ConsumerRunner {
  readonly #deps: RunnerDeps;
  readonly #retries = new Map<string, RetryState>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Runs a consumer until it stops. It MUST NOT reject: errors are reported, and a later call retries. */
  async runConsumer(consumer: Consumer, tail: TailReader): Promise<RunEnd> {
    for (let count = 0; count < (consumer.runsInTurn ?? RUNS_MAX); count++) {
      const end = await this.#runNext(consumer, tail);
      if (end) return end;
    }
    return { kind: 'more' };
  }

  /** Does one run; null when another may follow. */
  async #runNext(consumer: Consumer, tail: TailReader): Promise<RunEnd | null> {
    const { organizationId } = tail;
    const key = toPlaceKey(consumer.name, organizationId);
    const paused = this.#pauseOf(key);
    if (paused) return paused;
    let next: ConsumerRun | null = null;
    try {
      const size = this.#retries.has(key) ? 1 : await resolveBatchSize(consumer, organizationId);
      next = await readNextRun({ consumer, tail, size }, this.#deps);
      if (!next) return { kind: 'caught-up' };
      await runStep(next, this.#deps);
      this.#succeeded(key, next.to);
      // Entries appended in the meantime have woken the organisation again: one later round costs less.
      return next.isLast ? { kind: 'caught-up' } : null;
    } catch (error) {
      return this.#endOf(key, { consumer, organizationId, next, error });
    }
  }

  #pauseOf(key: string): RunEnd | null {
    const { clock, pauses } = this.#deps;
    const ms = (this.#retries.get(key)?.notBefore ?? 0) - clock.now().getTime();
    if (ms > 0) return { kind: 'paused', ms };
    const takenMs = pauses.getRemainingMs(key);
    return takenMs > 0 ? { kind: 'taken', ms: takenMs } : null;
  }

  /** Decides how to go on after a run that threw; null when it is noted as failed. */
  async #endOf(key: string, failure: ConsumerFailure): Promise<RunEnd | null> {
    const { consumer, organizationId, error } = failure;
    const { pauses, onError } = this.#deps;
    if (error instanceof CursorConflict) return { kind: 'caught-up' };
    if (error instanceof CursorTaken) return { kind: 'taken', ms: pauses.begin(key) };
    onError(consumer.name, organizationId, error);
    if (isTransient(error) && pauses.countFailures(key) < PASSING)
      return { kind: 'taken', ms: pauses.begin(key) };
    await this.#failed(key, failure);
    return null;
  }

  /** Returns whether the last run of a consumer failed. */
  isRetrying({ name }: Consumer, organizationId: string): boolean {
    return this.#retries.has(toPlaceKey(name, organizationId));
  }

  /** Ends all pauses, so that failed runs can be retried now. */
  retryNow(): void {
    for (const retry of this.#retries.values()) retry.notBefore = 0;
  }

  #succeeded(key: string, sequence: number): void {
    this.#deps.pauses.clear(key);
    const retry = this.#retries.get(key);
    if (retry && sequence < retry.isolateUntil) this.#retries.set(key, { ...retry, failures: 0 });
    else this.#retries.delete(key);
  }

  async #failed(key: string, failure: ConsumerFailure): Promise<void> {
    const { consumer, organizationId, next, error } = failure;
    const { clock, onDeadLetter, pauses } = this.#deps;
    const before = this.#retries.get(key) ?? { failures: 0, isolateUntil: 0 };
    const isPassing = isTransient(error);
    const isIsolated = next?.entries.length === 1 && !isPassing;
    const failures = isIsolated ? before.failures + 1 : before.failures;
    const isolateUntil = Math.max(before.isolateUntil, next?.to ?? 0);
    if (next && failures >= ATTEMPTS_MAX && (await this.#deadLetter(next, error))) {
      this.#retries.set(key, { failures: 0, isolateUntil, notBefore: 0 });
      onDeadLetter(consumer.name, organizationId, next.to);
      return;
    }
    const pause = isPassing ? pauses.begin(key) : Math.min(PAUSE_MAX_MS, 100 * 2 ** failures);
    const notBefore = clock.now().getTime() + pause;
    this.#retries.set(key, { failures, isolateUntil, notBefore });
  }

  async #deadLetter(next: ConsumerRun, error: unknown): Promise<boolean> {
    return storeDeadLetter(next, { error, at: this.#deps.clock.now() }, this.#deps).then(
      () => true,
      () => false,
    );
  }
}

interface ConsumerFailure {
  consumer: Consumer;
  organizationId: string;
  next: ConsumerRun | null;
  error: unknown;
}

/** Returns whether an error is one of the database's state: it does not count towards dead-lettering. */
function isTransient(error: unknown): boolean {
  const { name = '', errorLabels = [] } = error as { name?: string; errorLabels?: string[] };
  return (
    /Network|ServerSelection|Topology|PoolCleared|NotConnected/.test(name) || errorLabels.length > 0
  );
}
