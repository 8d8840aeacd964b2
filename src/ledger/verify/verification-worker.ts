// The main thread's side of the verification threads: started on first use, one verification per chain at a time.
import {
  createLastingThread,
  type HeldThread,
  type LastingThread,
} from '../../platform/answering-thread.ts';
import { KeyedMutex } from '../../platform/concurrency/keyed-mutex.ts';
import { SharedWork } from '../../platform/concurrency/shared-work.ts';
import type { BundleQueryRange } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { ReplayResult } from './chain-replay.ts';
import type {
  BundleMeasure,
  ChainRequest,
  VerificationRequest,
  VerificationThreadData,
} from './verification-thread.ts';
import type { Range, Verification } from './report.ts';
import type { ChainKnowledge, ReplayedRange } from './verify-chain.ts';

export interface VerificationWorkerDeps extends VerificationThreadData {
  /** Calls `serveVerification` with the columns of the chains. */
  script: URL;
  /** Number of threads that replay one chain in parallel, from one to eight. */
  threads: number;
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
  close(): Promise<void>;
}

/** Bounds the thread's memory; with a third of this young generation, collecting garbage takes a quarter more CPU. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };

/** Enough entries to be worth a message, and few enough that all threads end at about the same time. */
const RANGE_LENGTH = 20_000;
/** More threads would take memory and wait for the database. */
const THREADS_MAX = 8;
/** A short chain would wait for a long one of another organisation in the same thread, at each of its reads. */
const THREADS_MIN = 2;

/** A thread, and the requests and bundles that it has under way. */
interface Seat {
  thread: LastingThread<VerificationRequest>;
  load: number;
}

/** Creates the worker; it starts no thread before the first request, and MUST be closed. */
export function createVerificationWorker({
  script,
  threads: count,
  rangeLength: length = RANGE_LENGTH,
  ...workerData
}: VerificationWorkerDeps): VerificationWorker {
  const running = new Map<string, SharedWork<Verification>>();
  const chains = new KeyedMutex();
  const pieces = new KeyedMutex();
  const options = { script, workerData, resourceLimits: RESOURCE_LIMITS };
  const seats = Array.from(
    { length: Math.max(THREADS_MIN, Math.min(count, THREADS_MAX)) },
    (): Seat => ({ thread: createLastingThread<VerificationRequest>(options), load: 0 }),
  );
  /** The threads that replay the ranges of one chain. */
  const team = seats.slice(0, count);

  /** Takes the thread with the least under way. The caller MUST give it back. */
  function takeSeat(): Pick<Seat, 'thread'> & { giveBack: () => void } {
    const seat = seats.reduce((least, other) => (other.load < least.load ? other : least));
    seat.load += 1;
    return { thread: seat.thread, giveBack: () => void (seat.load -= 1) };
  }

  async function askFreest(request: VerificationRequest, signal?: AbortSignal): Promise<unknown> {
    const { thread, giveBack } = takeSeat();
    return thread.sendRequest(request, signal).finally(giveBack);
  }

  async function runVerification(chain: ChainRequest, signal: AbortSignal): Promise<Verification> {
    const ranges = team.length > 1 ? await replayRanges(chain, signal) : [];
    return (await askFreest({ kind: 'verify', ranges, ...chain }, signal)) as Verification;
  }

  /** Replays ranges on all threads, each taking the next one when it is free. Failed ranges are left to `verify`. */
  async function replayRanges(chain: ChainRequest, signal: AbortSignal): Promise<ReplayedRange[]> {
    const ranges = (await askFreest({ kind: 'ranges', length, ...chain }, signal)) as Range[];
    const replayed = ranges.map((range): ReplayedRange => ({ range, replayed: null }));
    const left = replayed.values();
    const replayRemaining = async ({ thread }: Seat): Promise<void> => {
      for (const next of left) {
        const request = { kind: 'replay', range: next.range, ...chain } as const;
        next.replayed = (await thread
          .sendRequest(request, signal)
          .catch(() => null)) as ReplayResult | null;
        if (signal.aborted) return;
      }
    };
    await Promise.all(team.map(replayRemaining));
    return replayed;
  }

  async function* readChunks(chain: Chain, bundle: BundleQueryRange): AsyncGenerator<Uint8Array> {
    const { thread, giveBack } = takeSeat();
    const heldThread = thread.holdThread();
    try {
      const bundleId = (await heldThread.sendRequest({ kind: 'open', chain, bundle })) as number;
      const takeChunk = () =>
        heldThread.sendRequest({ kind: 'next', bundleId }) as Promise<Uint8Array | null>;
      const { organizationId } = bundle;
      yield* readBundleChunks(heldThread, bundleId, () =>
        pieces.runExclusive(organizationId, takeChunk),
      );
    } finally {
      heldThread.release();
      giveBack();
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
      const measureBundle = () => askFreest({ kind: 'measure', chain, bundle }, signal);
      return (await chains.runExclusive(bundle.organizationId, measureBundle)) as BundleMeasure;
    },
    async close() {
      await Promise.all(seats.map(({ thread }) => thread.close()));
    },
  };
}

async function* readBundleChunks(
  heldThread: HeldThread<VerificationRequest>,
  bundleId: number,
  takeChunk: () => Promise<Uint8Array | null>,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const chunk = await takeChunk();
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    await heldThread.sendRequest({ kind: 'close', bundleId }).catch(() => undefined);
  }
}
