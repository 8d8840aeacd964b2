// The main thread's side of the verification threads: one verification per chain at a time.
import { KeyedMutex } from '../../platform/concurrency/keyed-mutex.ts';
import { SharedWork } from '../../platform/concurrency/shared-work.ts';
import type { DatabaseAccess } from '../../platform/threads/thread-database.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { BundleQueryRange } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { ReplayResult } from './chain-replay.ts';
import type { BundleMeasure, ChainRequest, VerificationRequest } from './verification-thread.ts';
import type { Range, Verification } from './report.ts';
import type { ChainKnowledge, ReplayedRange } from './verify-chain.ts';

export interface VerificationWorkerDeps {
  threads: Pick<Threads, 'open'>;
  databaseAccess: DatabaseAccess;
  /** Number of threads that replay one chain in parallel; eight at most. */
  threadCount: number;
  /** Entries of a range that one thread replays. */
  rangeLength?: number;
}

interface Abortable {
  /** The caller's signal: an abort ends the work unless another caller has joined it. */
  signal?: AbortSignal | undefined;
}

/**
 * Verifies and exports chains off the event loop. For each organisation at most one verification or measurement and one
 * chunk of a bundle are made at a time.
 */
export interface VerificationWorker {
  /** Verifies a chain; a second caller joins a verification in progress that begins at the same place. */
  verify(
    chain: Chain,
    organizationId: string,
    known: ChainKnowledge & Abortable,
  ): Promise<Verification>;
  /** Yields the text of a bundle, made as it is consumed. */
  bundle(chain: Chain, bundle: BundleQueryRange): AsyncIterable<Uint8Array>;
  /** Measures the text of a bundle: it is made once and discarded. */
  measure(chain: Chain, bundle: BundleQueryRange & Abortable): Promise<BundleMeasure>;
}

/** Enough entries to be worth a message, and few enough that all threads end at about the same time. */
const RANGE_LENGTH = 20_000;
/** More threads would take memory and wait for the database. */
const THREADS_MAX = 8;
/** A short chain would wait for a long one of another organisation in the same thread, at each of its reads. */
const THREADS_MIN = 2;

/** Creates the worker; it starts no thread before the first request. */
export function createVerificationWorker({
  threads,
  databaseAccess,
  threadCount,
  rangeLength: length = RANGE_LENGTH,
}: VerificationWorkerDeps): VerificationWorker {
  const running = new Map<string, SharedWork<Verification>>();
  const chains = new KeyedMutex();
  const chunks = new KeyedMutex();
  const replayThreads = Math.min(threadCount, THREADS_MAX);
  const pool = threads.open<VerificationRequest, unknown>('verification', databaseAccess, {
    threads: Math.max(THREADS_MIN, replayThreads),
  });

  async function runVerification(chain: ChainRequest, signal: AbortSignal): Promise<Verification> {
    const ranges = replayThreads > 1 ? await replayRanges(chain, signal) : [];
    const request = { kind: 'verify', ranges, ...chain } as const;
    return (await pool.sendToLeastBusy(request, signal)) as Verification;
  }

  /** Replays ranges, one for each thread at a time. Failed ranges are left to `verify`. */
  async function replayRanges(chain: ChainRequest, signal: AbortSignal): Promise<ReplayedRange[]> {
    const request = { kind: 'ranges', length, ...chain } as const;
    const ranges = (await pool.sendToLeastBusy(request, signal)) as Range[];
    const replayed = ranges.map((range): ReplayedRange => ({ range, replayed: null }));
    const left = replayed.values();
    const replayRemaining = async (): Promise<void> => {
      for (const next of left) {
        const request = { kind: 'replay', range: next.range, ...chain } as const;
        next.replayed = (await pool
          .sendToLeastBusy(request, signal)
          .catch(() => null)) as ReplayResult | null;
        if (signal.aborted) return;
      }
    };
    await Promise.all(Array.from({ length: replayThreads }, replayRemaining));
    return replayed;
  }

  async function* readChunks(chain: Chain, bundle: BundleQueryRange): AsyncGenerator<Uint8Array> {
    const slot = pool.acquireSlot();
    try {
      const bundleId = (await slot.send({ kind: 'open', chain, bundle })) as number;
      const takeChunk = () => slot.send({ kind: 'next', bundleId }) as Promise<Uint8Array | null>;
      try {
        for (;;) {
          const chunk = await chunks.runExclusive(bundle.organizationId, takeChunk);
          if (chunk === null) return;
          yield chunk;
        }
      } finally {
        await slot.send({ kind: 'close', bundleId }).catch(() => undefined);
      }
    } finally {
      slot.release();
    }
  }

  return {
    verify(chain, organizationId, { signal, ...known }) {
      const key = `${chain.collection}:${organizationId}:${known.after?.sequence ?? 0}`;
      const underWay = running.get(key);
      if (underWay && !underWay.isAborted) return underWay.join(signal);
      const begun = new SharedWork((aborted) =>
        chains
          .runExclusive(organizationId, () =>
            runVerification({ chain, organizationId, known }, aborted),
          )
          .finally(() => {
            if (running.get(key) === begun) running.delete(key);
          }),
      );
      running.set(key, begun);
      return begun.join(signal);
    },
    bundle: readChunks,
    async measure(chain, { signal, ...bundle }) {
      const measureBundle = () => pool.sendToLeastBusy({ kind: 'measure', chain, bundle }, signal);
      return (await chains.runExclusive(bundle.organizationId, measureBundle)) as BundleMeasure;
    },
  };
}
