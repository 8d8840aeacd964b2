// The main thread's side of the verification threads: started when they are first needed, one verification per chain at a time.
import { createLastingThread } from '../../platform/answering-thread.ts';
import type { BundleQueryRange } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { Replayed } from './chain-replay.ts';
import type {
  BundleMeasure,
  KnownChainRequest,
  VerificationRequest,
  VerificationThreadData,
} from './verification-thread.ts';
import type { Range, Verification } from './report.ts';
import type { ChainKnowledge, ReplayedRange } from './verify-chain.ts';

export interface VerificationWorkerDeps extends VerificationThreadData {
  /** Calls `serveVerification` with the columns of the chains. */
  script: URL;
  /** How many may work side by side; at least one, and of more than eight eight do. */
  threads: number;
  /** Entries of a range that one of them replays by itself. */
  rangeLength?: number;
}

/** Verifies and exports chains off the event loop. */
export interface VerificationWorker {
  /** Verifies a chain; a second caller joins a verification in progress that begins at the same place. */
  verify(chain: Chain, organizationId: string, known: ChainKnowledge): Promise<Verification>;
  /** The text of a bundle, made as it is taken. */
  bundle(chain: Chain, bundle: BundleQueryRange): AsyncIterable<Uint8Array>;
  /** What the text will be: it is made once, and thrown away. */
  measure(chain: Chain, bundle: BundleQueryRange): Promise<BundleMeasure>;
  close(): Promise<void>;
}

/** Bounds the thread's memory; with a third of this young generation, collecting garbage takes a quarter more CPU. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };

/** Enough entries to be worth handing over, and so few that all threads end at about the same time. */
const RANGE_LENGTH = 20_000;
/** More would take memory, and wait for the database. */
const THREADS_MAX = 8;

export function createVerificationWorker({
  script,
  threads: count,
  rangeLength: length = RANGE_LENGTH,
  ...workerData
}: VerificationWorkerDeps): VerificationWorker {
  const running = new Map<string, Promise<Verification>>();
  const options = { script, workerData, resourceLimits: RESOURCE_LIMITS };
  const thread = createLastingThread<VerificationRequest>(options);
  const others = Array.from({ length: Math.min(count, THREADS_MAX) - 1 }, () =>
    createLastingThread<VerificationRequest>(options),
  );

  async function verified(chain: KnownChainRequest): Promise<Verification> {
    const ranges = others.length > 0 ? await replayedRanges(chain) : [];
    return (await thread.ask({ kind: 'verify', ranges, ...chain })) as Verification;
  }

  /** Each thread takes the next range when it has done with one. What it cannot do, verification does in its place. */
  async function replayedRanges(chain: KnownChainRequest): Promise<ReplayedRange[]> {
    const ranges = (await thread.ask({ kind: 'ranges', length, ...chain })) as Range[];
    const replayed = ranges.map((range): ReplayedRange => ({ range, replayed: null }));
    const left = replayed.values();
    const work = async (one: typeof thread): Promise<void> => {
      for (const next of left) {
        const request = { kind: 'replay', range: next.range, ...chain } as const;
        next.replayed = (await one.ask(request).catch(() => null)) as Replayed | null;
      }
    };
    await Promise.all([thread, ...others].map(work));
    return replayed;
  }

  async function* chunks(chain: Chain, bundle: BundleQueryRange): AsyncGenerator<Uint8Array> {
    const worker = thread.running();
    const bundleId = (await worker.ask({ kind: 'open', chain, bundle })) as number;
    try {
      for (;;) {
        const chunk = (await worker.ask({ kind: 'next', bundleId })) as Uint8Array | null;
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      void worker.ask({ kind: 'close', bundleId }).catch(() => undefined);
    }
  }

  return {
    verify(chain, organizationId, known) {
      const key = `${chain.collection}:${organizationId}:${known.after?.sequence ?? 0}`;
      const underWay = running.get(key);
      if (underWay) return underWay;
      const verification = verified({ chain, organizationId, known }).finally(() =>
        running.delete(key),
      );
      running.set(key, verification);
      return verification;
    },
    bundle: chunks,
    async measure(chain, bundle) {
      return (await thread.ask({ kind: 'measure', chain, bundle })) as BundleMeasure;
    },
    async close() {
      await Promise.all([thread, ...others].map((one) => one.close()));
    },
  };
}
