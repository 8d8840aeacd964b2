// The thread that verifies and exports chains, with a database client of its own, so that ingestion keeps its event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { connectMongo } from '../../platform/mongo/connection.ts';
import { lowerThreadPriority } from '../../platform/thread-priority.ts';
import { bundleChunks, type BundleQueryRange } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import { verifyChain } from './verify-chain.ts';

/** A request to the thread; `next` and `close` name a bundle that was opened under that id. */
export type VerificationRequest =
  | { kind: 'verify'; chain: Chain; organizationId: string; now: Date }
  | { kind: 'open'; chain: Chain; bundle: BundleQueryRange }
  | { kind: 'next'; bundleId: number }
  | { kind: 'close'; bundleId: number };

export interface VerificationMessage {
  id: number;
  request: VerificationRequest;
}

export interface VerificationResponse {
  id: number;
  value?: unknown;
  error?: unknown;
}

/** Verifications of several organisations and a few exports at a time. */
const POOL_SIZE = 4;

lowerThreadPriority();
const { uri, database } = workerData as { uri: string; database: string };
const { connection } = await connectMongo({ uri, poolSize: POOL_SIZE });
const db = connection.getClient().db(database);
const bundles = new Map<number, Bundle>();
const encoder = new TextEncoder();

/** A bundle that is being written; the next chunk is prepared while the last one is sent. */
class Bundle {
  readonly #chunks: AsyncGenerator<string>;
  #next: Promise<IteratorResult<string, undefined>>;

  constructor(chunks: AsyncGenerator<string>) {
    this.#chunks = chunks;
    this.#next = this.#prefetch();
  }

  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    const { value } = await this.#next;
    this.#next = this.#prefetch();
    return value === undefined ? null : encoder.encode(value);
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #prefetch(): Promise<IteratorResult<string, undefined>> {
    const chunk = this.#chunks.next();
    // The caller of `next` handles a failure, if there is one.
    chunk.catch(() => undefined);
    return chunk;
  }
}

async function answer({ id, request }: VerificationMessage): Promise<unknown> {
  switch (request.kind) {
    case 'verify':
      return verifyChain({ db, ...request });
    case 'open':
      bundles.set(id, new Bundle(bundleChunks(db, request.chain, request.bundle)));
      return id;
    case 'next':
      return (await bundles.get(request.bundleId)?.next()) ?? null;
    case 'close':
      await bundles.get(request.bundleId)?.close();
      return bundles.delete(request.bundleId);
  }
}

parentPort?.on('message', (message: VerificationMessage) => {
  const { id } = message;
  answer(message).then(
    (value) =>
      parentPort?.postMessage(
        { id, value } satisfies VerificationResponse,
        value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
      ),
    (error: unknown) => parentPort?.postMessage({ id, error } satisfies VerificationResponse),
  );
});
