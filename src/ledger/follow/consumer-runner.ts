// Runs one consumer along one chain: what fails is tried again with pauses, what keeps failing by itself is put aside.
import type { Clock } from '../../platform/clock.ts';
import {
  type Consumer,
  CursorMoved,
  follow,
  nextRun,
  deadLetter,
  type ConsumerRun,
  type StepParts,
} from './consumer.ts';
import type { TailReader } from './tail-reader.ts';

/** Tries of one entry by itself before it is put aside. */
const TRIES = 8;
const LONGEST_PAUSE_MS = 30_000;
const BATCH = 512;
/** Runs of one consumer before other organisations get their turn. */
const RUNS_IN_A_ROW = 20;

export interface RunnerParts extends StepParts {
  clock: Clock;
  /** A consumer failed; it is tried again. */
  onError: (consumer: string, organizationId: string, error: unknown) => void;
  /** A consumer went on without an entry: somebody has to look at it. */
  onParked: (consumer: string, organizationId: string, sequence: number) => void;
}

/** Of one consumer and organisation whose last run failed. */
interface Trouble {
  failures: number;
  /** Up to here entries go one by one, to find the one that fails. */
  until: number;
  /** Milliseconds since the epoch. */
  notBefore: number;
}

/** Where a consumer came to: the end of the chain, a pause of so many milliseconds, or there is more. */
export type End = { kind: 'reached' } | { kind: 'paused'; ms: number } | { kind: 'more' };

export class ConsumerRunner {
  readonly #parts: RunnerParts;
  readonly #troubles = new Map<string, Trouble>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Never rejects: errors are reported and tried again by a later call. */
  async run(consumer: Consumer, growth: TailReader): Promise<End> {
    const { organizationId } = growth;
    const key = `${consumer.name}:${organizationId}`;
    for (let count = 0; count < RUNS_IN_A_ROW; count++) {
      const trouble = this.#troubles.get(key);
      const ms = (trouble?.notBefore ?? 0) - this.#parts.clock.now().getTime();
      if (ms > 0) return { kind: 'paused', ms };
      const size = trouble ? 1 : (consumer.batch ?? BATCH);
      let next: ConsumerRun | null = null;
      try {
        next = await nextRun({ consumer, growth, size }, this.#parts);
        if (!next) return { kind: 'reached' };
        await follow(next, this.#parts);
        if (trouble && next.to < trouble.until)
          this.#troubles.set(key, { ...trouble, failures: 0 });
        else this.#troubles.delete(key);
        // What was appended meanwhile has woken its organisation anew: gathered until then, it costs less.
        if (next.isLast) return { kind: 'reached' };
      } catch (error) {
        if (error instanceof CursorMoved) return { kind: 'reached' };
        await this.#failed(key, { consumer, organizationId, next, error });
      }
    }
    return { kind: 'more' };
  }

  /** Forgets the pauses, so that what failed can be tried at once. */
  hurry(): void {
    for (const trouble of this.#troubles.values()) trouble.notBefore = 0;
  }

  async #failed(key: string, failure: Failure): Promise<void> {
    const { consumer, organizationId, next, error } = failure;
    const { clock, onError, onParked } = this.#parts;
    onError(consumer.name, organizationId, error);
    const before = this.#troubles.get(key) ?? { failures: 0, until: 0 };
    const isAlone = next?.entries.length === 1 && !isTransient(error);
    const failures = isAlone ? before.failures + 1 : before.failures;
    const until = Math.max(before.until, next?.to ?? 0);
    if (next && failures >= TRIES && (await this.#park(next, error))) {
      this.#troubles.set(key, { failures: 0, until, notBefore: 0 });
      onParked(consumer.name, organizationId, next.to);
      return;
    }
    const pause = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures);
    this.#troubles.set(key, { failures, until, notBefore: clock.now().getTime() + pause });
  }

  async #park(next: ConsumerRun, error: unknown): Promise<boolean> {
    return deadLetter(next, { error, at: this.#parts.clock.now() }, this.#parts).then(
      () => true,
      () => false,
    );
  }
}

interface Failure {
  consumer: Consumer;
  organizationId: string;
  next: ConsumerRun | null;
  error: unknown;
}

/** The database's state, not the entry: does not count towards putting it aside. */
function isTransient(error: unknown): boolean {
  const { name = '', errorLabels = [] } = error as { name?: string; errorLabels?: string[] };
  return (
    /Network|ServerSelection|Topology|PoolCleared|NotConnected/.test(name) || errorLabels.length > 0
  );
}
