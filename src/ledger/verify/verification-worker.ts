// The main thread's side of the proof worker: started when it is first needed, one verification per chain at a time.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { BundleQueryRange } from './bundle-lines.ts';
import type { Chain } from '../chains.ts';
import type {
  VerificationResponse,
  VerificationMessage,
  VerificationRequest,
} from './verification-thread.ts';
import type { Verification } from './report.ts';

export interface VerificationWorkerDeps {
  /** Connection string of the database. */
  uri: string;
  /** Its name. */
  database: string;
  /** Folder of the thread's script, as a URL; unset: this one. */
  threadScripts?: string | undefined;
}

/** Replays and exports chains apart from the event loop. */
export interface VerificationWorker {
  /** Replays a whole chain; a second caller joins the replay that is under way. */
  verify(chain: Chain, organizationId: string, now: Date): Promise<Verification>;
  /** The text of a bundle, once its beginning is there: what fails later breaks it off. */
  bundle(chain: Chain, bundle: BundleQueryRange): Promise<Readable>;
  close(): Promise<void>;
}

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Keep the thread's memory small; with a third of this young generation its garbage takes a quarter more of the processor. */
const LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };
/** Bytes that wait for a slow reader. */
const AHEAD = 256 * 1024;

/** A thread that keeps no process alive. */
class ProofThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #end: unknown = null;

  constructor({ threadScripts = import.meta.url, ...workerData }: VerificationWorkerDeps) {
    const script = new URL('./verification-thread.mjs', threadScripts);
    this.#worker = new Worker(script, { workerData, execArgv: [], resourceLimits: LIMITS });
    this.#worker.unref();
    this.#worker.on('message', (answer: VerificationResponse) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#endWith(error));
    this.#worker.on('exit', () => this.#endWith(new Error('the proof worker has ended')));
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  async ask(request: VerificationRequest): Promise<unknown> {
    if (this.#end !== null) throw this.#end;
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request } satisfies VerificationMessage);
    });
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #endWith(error: unknown): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #settle({ id, value, error }: VerificationResponse): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(error);
  }
}

export function createVerificationWorker(parts: VerificationWorkerDeps): VerificationWorker {
  const running = new Map<string, Promise<Verification>>();
  let thread: ProofThread | null = null;

  function threadNow(): ProofThread {
    if (!thread || thread.hasEnded) thread = new ProofThread(parts);
    return thread;
  }

  async function* chunks(chain: Chain, bundle: BundleQueryRange): AsyncGenerator<Uint8Array> {
    const current = threadNow();
    const bundleId = (await current.ask({ kind: 'open', chain, bundle })) as number;
    try {
      for (;;) {
        const chunk = (await current.ask({ kind: 'next', bundleId })) as Uint8Array | null;
        if (chunk === null) return;
        yield chunk;
      }
    } finally {
      void current.ask({ kind: 'close', bundleId }).catch(() => undefined);
    }
  }

  return {
    verify(chain, organizationId, now) {
      const key = `${chain.collection}:${organizationId}`;
      const known = running.get(key);
      if (known) return known;
      const asked = threadNow().ask({
        kind: 'verify',
        chain,
        organizationId,
        now,
      }) as Promise<Verification>;
      const verification = asked.finally(() => running.delete(key));
      running.set(key, verification);
      return verification;
    },
    async bundle(chain, bundle) {
      const body = Readable.from(chunks(chain, bundle), {
        objectMode: false,
        highWaterMark: AHEAD,
      });
      await once(body, 'readable');
      return body;
    },
    async close() {
      await thread?.terminate();
    },
  };
}
