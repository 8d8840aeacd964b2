// The main thread's side of the verification thread: started when it is first needed, one verification per chain at a time.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createLastingThread } from '../../platform/answering-thread.ts';
import type { BundleQueryRange } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { VerificationRequest, VerificationThreadData } from './verification-thread.ts';
import type { Verification } from './report.ts';
import type { ChainKnowledge } from './verify-chain.ts';

export interface VerificationWorkerDeps extends VerificationThreadData {
  /** Calls `serveVerification` with the columns of the chains. */
  script: URL;
}

/** Verifies and exports chains off the event loop. */
export interface VerificationWorker {
  /** Verifies a chain; a second caller joins a verification in progress that begins at the same place. */
  verify(chain: Chain, organizationId: string, known: ChainKnowledge): Promise<Verification>;
  /** The text of a bundle, once it has begun: a later failure destroys the stream. */
  bundle(chain: Chain, bundle: BundleQueryRange): Promise<Readable>;
  close(): Promise<void>;
}

/** Bounds the thread's memory; with a third of this young generation, collecting garbage takes a quarter more CPU. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };
/** Bytes that are buffered for a slow reader. */
const HIGH_WATER_MARK = 256 * 1024;

export function createVerificationWorker({
  script,
  ...workerData
}: VerificationWorkerDeps): VerificationWorker {
  const running = new Map<string, Promise<Verification>>();
  const thread = createLastingThread<VerificationRequest>({
    script,
    workerData,
    resourceLimits: RESOURCE_LIMITS,
  });

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
      const request = thread.ask({
        kind: 'verify',
        chain,
        organizationId,
        known,
      }) as Promise<Verification>;
      const verification = request.finally(() => running.delete(key));
      running.set(key, verification);
      return verification;
    },
    async bundle(chain, bundle) {
      const body = Readable.from(chunks(chain, bundle), {
        objectMode: false,
        highWaterMark: HIGH_WATER_MARK,
      });
      await once(body, 'readable');
      return body;
    },
    close: thread.close,
  };
}
