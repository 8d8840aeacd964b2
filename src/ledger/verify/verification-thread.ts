// The thread that verifies and exports chains, with a database client of its own, so that ingestion keeps its event loop.
import { workerData } from 'node:worker_threads';
import { type KeyStoreAccess, openKeyStore } from '../../platform/key-store/open-key-store.ts';
import { connectMongo } from '../../platform/mongo/connection.ts';
import { answerRequests, type ThreadMessage } from '../../platform/thread-answers.ts';
import { lowerThreadPriority } from '../../platform/thread-priority.ts';
import { bundleChunks, type BundleQueryRange, type Omission } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { Columns } from '../columns.ts';
import { type Contents, createContents } from '../contents/contents.ts';
import { rangesOf, replayRange } from './ranges.ts';
import type { Range } from './report.ts';
import {
  type ChainKnowledge,
  type ChainVerification,
  type ReplayedRange,
  verifyChain,
} from './verify-chain.ts';

type ChainColumns = Readonly<Record<string, Columns>>;

/** The database whose chains the thread verifies. */
export interface VerificationThreadData {
  /** Connection string. */
  uri: string;
  /** Its name. */
  database: string;
  keyStore: KeyStoreAccess;
}

/** A chain, and what is known of it besides its own collections. */
export interface KnownChainRequest {
  chain: Chain;
  organizationId: string;
  known: ChainKnowledge;
}

/** A request to a thread; `next` and `close` name a bundle that was opened under that id. */
export interface BundleMeasure {
  bytes: number;
  /** The canonical text of a list of `Omission`; null: nothing is omitted. */
  omissions: string | null;
}

export type VerificationRequest =
  | ({ kind: 'verify'; ranges: readonly ReplayedRange[] } & KnownChainRequest)
  | ({ kind: 'ranges'; length: number } & KnownChainRequest)
  | ({ kind: 'replay'; range: Range } & KnownChainRequest)
  | { kind: 'open' | 'measure'; chain: Chain; bundle: BundleQueryRange }
  | { kind: 'next'; bundleId: number }
  | { kind: 'close'; bundleId: number };

/** Verifications of several organisations and a few exports at a time. */
const POOL_SIZE = 4;

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

/** Answers the requests of the thread that started this one. `columns`: those of each chain, by its collection. */
export async function serveVerification(columns: ChainColumns): Promise<void> {
  lowerThreadPriority();
  const { uri, database, keyStore: access } = workerData as VerificationThreadData;
  const { connection } = await connectMongo({ uri, poolSize: POOL_SIZE });
  const { keyStore } = await openKeyStore(access, { connection, database });
  const contents = createContents(keyStore, () => undefined);
  answerRequests(createAnswers(connection.getClient().db(database), { columns, contents }));
}

function createAnswers(
  db: ChainVerification['db'],
  { columns, contents }: { columns: ChainColumns; contents: Contents },
) {
  const bundles = new Map<number, Bundle>();

  function columnsOf({ collection }: Chain): Columns {
    const found = columns[collection];
    if (!found) throw new TypeError(`no columns of ${collection}`);
    return found;
  }

  function chainOf({ chain, organizationId, known }: KnownChainRequest, signal: AbortSignal) {
    return { ...known, db, chain, columns: columnsOf(chain), contents, organizationId, signal };
  }

  function chunksOf(
    { chain, bundle }: { chain: Chain; bundle: BundleQueryRange },
    onOmission?: (omission: Omission) => void,
  ) {
    return bundleChunks(db, chain, Object.assign({ onOmission }, bundle, { contents }));
  }

  return async (
    { id, request }: ThreadMessage<VerificationRequest>,
    signal: AbortSignal,
  ): Promise<unknown> => {
    switch (request.kind) {
      case 'verify':
        return verifyChain({ ...chainOf(request, signal), ranges: request.ranges });
      case 'ranges':
        return rangesOf(chainOf(request, signal), request.length);
      case 'replay':
        return replayRange(chainOf(request, signal), request.range);
      case 'measure':
        return measure((onOmission) => chunksOf(request, onOmission), signal);
      case 'open':
        bundles.set(id, new Bundle(chunksOf(request)));
        return id;
      case 'next':
        return (await bundles.get(request.bundleId)?.next()) ?? null;
      case 'close':
        await bundles.get(request.bundleId)?.close();
        return bundles.delete(request.bundleId);
    }
  };
}

/** Makes the text once, to know what has to be said before it is sent. */
async function measure(
  chunksOf: (onOmission: (omission: Omission) => void) => AsyncIterable<string>,
  signal: AbortSignal,
): Promise<BundleMeasure> {
  const omissions: string[] = [];
  let bytes = 0;
  const chunks = chunksOf(({ names, sequence }) =>
    omissions.push(JSON.stringify({ names, sequence })),
  );
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    bytes += Buffer.byteLength(chunk);
  }
  return { bytes, omissions: omissions.length === 0 ? null : `[${omissions.join(',')}]` };
}
