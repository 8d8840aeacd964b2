// The worker threads of an instance: one row for each kind, and one place that opens and closes their pools.
import { basename } from 'node:path';
import type { ThreadOptions } from './running-thread.ts';
import { type PoolLimits, ThreadPool } from './thread-pool.ts';

type ThreadRow = PoolLimits &
  Pick<ThreadOptions, 'priority' | 'youngMb' | 'oldMb' | 'timeoutMs' | 'lateText'> & {
    /** Its source below `src/`, without `.ts`. The name of the file is that of its script. */
    source: string;
  };

/**
 * Threads of low priority step back for requests that wait for an answer. Time limits are many times as long as the most
 * expensive request takes, since those threads may get a tenth of a processor.
 */
export const THREADS = {
  /** Parses, checks, judges and drafts large decisions. Room for a few of 3 MB; some hundred megabytes wait. */
  ingestion: {
    source: 'decisions/traces/ingestion/ingestion-thread',
    priority: 'low',
    threads: 1,
    youngMb: 32,
    oldMb: 256,
    maxWaiting: 64,
    // Its start would take much of the time that the agent of a large decision waits.
    restMs: 10 * 60_000,
    timeoutMs: 30_000,
    lateText: 'The decision takes too long',
  },
  /** Reads large exports of spans. Room for one of 4 MB, decoded and mapped; some hundred megabytes wait. */
  otlp: {
    source: 'decisions/otlp/otlp-thread',
    priority: 'low',
    threads: 1,
    youngMb: 64,
    oldMb: 512,
    maxWaiting: 32,
    timeoutMs: 30_000,
    lateText: 'The export takes too long',
  },
  /** Embeds texts, stores and compares vectors, which are outside the heap. Reading all of them again would take long. */
  memory: {
    source: 'decisions/traces/memory/memory-thread',
    priority: 'low',
    threads: 1,
    youngMb: 48,
    oldMb: 512,
    restMs: 10 * 60_000,
  },
  /** Judges stored decisions by other policies. Room for a few pages of them, each of which may have megabytes. */
  replay: {
    source: 'policies/replay/replay-thread',
    priority: 'low',
    threads: 1,
    youngMb: 32,
    oldMb: 256,
  },
  /** Verifies and exports chains. With a third of this young generation, collecting garbage takes a quarter more CPU. */
  verification: {
    source: 'evidence/hash-chain/verification-thread',
    priority: 'low',
    threads: 2,
    youngMb: 48,
    oldMb: 512,
  },
  /** Draws PDFs; with two threads, the largest PDF of one organisation does not delay those of others. */
  pdf: {
    source: 'platform/pdf/pdf-thread',
    priority: 'low',
    threads: 2,
    youngMb: 64,
    oldMb: 768,
    maxWaiting: 24,
    timeoutMs: 120_000,
  },
  /** Reads messages and metadata of identity providers; people wait for them to sign on. */
  saml: {
    source: 'platform/saml/saml-reader-thread',
    priority: 'usual',
    threads: 2,
    youngMb: 32,
    oldMb: 256,
    maxWaiting: 256,
    timeoutMs: 3000,
  },
  /** Checks answers of time-stamping authorities. */
  stamp: {
    source: 'evidence/log/stamps/stamp-thread',
    priority: 'low',
    threads: 1,
    youngMb: 16,
    oldMb: 64,
    maxWaiting: 4,
    timeoutMs: 5000,
    lateText: 'The answer takes too long to check',
  },
} as const satisfies Record<string, ThreadRow>;

export type ThreadName = keyof typeof THREADS;

export interface Threads {
  /** Opens the pool of a kind of thread. `data` is what its threads read by `readThreadData`; `limits` override its row's. */
  open<Q, A>(name: ThreadName, data?: unknown, limits?: Partial<ThreadRow>): ThreadPool<Q, A>;
  /** Closes all pools. */
  close(): Promise<void>;
}

/** `folder`: where the compiled threads are, as a URL; absent: beside this module, or their sources where it is one. */
export function createThreads(folder?: string): Threads {
  const closers: (() => Promise<void>)[] = [];
  return {
    open<Q, A>(name: ThreadName, data?: unknown, limits: Partial<ThreadRow> = {}) {
      const row: ThreadRow = { ...THREADS[name], ...limits };
      const pool = new ThreadPool<Q, A>({ ...row, ...locateThread(row.source, folder), data });
      closers.push(() => pool.close());
      return pool;
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

function locateThread(
  source: string,
  folder: string | undefined,
): Pick<ThreadOptions, 'script' | 'sourceUrl'> {
  if (folder === undefined && new URL(import.meta.url).pathname.endsWith('.ts')) {
    const script = new URL('./start-from-source.mjs', import.meta.url);
    return { script, sourceUrl: new URL(`../../${source}.ts`, import.meta.url).href };
  }
  return { script: new URL(`./${basename(source)}.mjs`, folder ?? import.meta.url) };
}
