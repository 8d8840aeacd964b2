// The thread that replays and exports chains, on a database client of its own, so that ingestion keeps its event loop.
import { parentPort, workerData } from 'node:worker_threads';
import { connectMongo } from '../../platform/mongo/connection.ts';
import { lowerThreadPriority } from '../../platform/thread-priority.ts';
import { bundleChunks, type BundleQueryRange } from './bundle-lines.ts';
import type { Chain } from '../chains.ts';
import { verifyChain } from './verify-chain.ts';

/** What the thread is asked. `next` and `close` are about a bundle that was opened under that id. */
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
  #ahead: Promise<IteratorResult<string, undefined>>;

  constructor(chunks: AsyncGenerator<string>) {
    this.#chunks = chunks;
    this.#ahead = this.#prepare();
  }

  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    const { value } = await this.#ahead;
    this.#ahead = this.#prepare();
    return value === undefined ? null : encoder.encode(value);
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #prepare(): Promise<IteratorResult<string, undefined>> {
    const prepared = this.#chunks.next();
    // Whoever asks for it learns of a failure; nobody may.
    prepared.catch(() => undefined);
    return prepared;
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

parentPort?.on('message', (question: VerificationMessage) => {
  const { id } = question;
  answer(question).then(
    (value) =>
      parentPort?.postMessage(
        { id, value } satisfies VerificationResponse,
        value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [],
      ),
    (error: unknown) => parentPort?.postMessage({ id, error } satisfies VerificationResponse),
  );
});
