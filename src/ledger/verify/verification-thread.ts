// The thread that verifies and exports chains with its own database client, so that ingestion keeps the event loop.
import { answerRequests, readThreadData } from '../../platform/threads/answer-requests.ts';
import { type DatabaseAccess, openThreadDatabase } from '../../platform/threads/thread-database.ts';
import { bundleChunks, type BundleQueryRange, type Omission } from './bundle-chunks.ts';
import type { Chain } from '../chains.ts';
import type { Columns } from '../columns.ts';
import { type Contents, createContents } from '../contents/contents.ts';
import { splitRanges, replayRange } from './ranges.ts';
import type { Range } from './report.ts';
import {
  type ChainKnowledge,
  type ChainVerification,
  type ReplayedRange,
  verifyChain,
} from './verify-chain.ts';

type ChainColumns = Readonly<Record<string, Columns>>;

/** A request about a chain, with what is known about it from elsewhere. */
export interface ChainRequest {
  chain: Chain;
  organizationId: string;
  known: ChainKnowledge;
}

/** The size of a bundle, and what it omits. */
export interface BundleMeasure {
  bytes: number;
  /** The canonical text of a list of `Omission`; null: nothing is omitted. */
  omissions: string | null;
}

/** A request to a verification thread; `next` and `close` name a bundle by the id that `open` answered. */
export type VerificationRequest =
  | ({ kind: 'verify'; ranges: readonly ReplayedRange[] } & ChainRequest)
  | ({ kind: 'ranges'; length: number } & ChainRequest)
  | ({ kind: 'replay'; range: Range } & ChainRequest)
  | { kind: 'open' | 'measure'; chain: Chain; bundle: BundleQueryRange }
  | { kind: 'next'; bundleId: number }
  | { kind: 'close'; bundleId: number };

/** Verifications of several organisations and a few exports at a time. */
const POOL_SIZE = 4;

const encoder = new TextEncoder();

/** A bundle that is being written; the next chunk is prepared while the previous one is sent. */
class Bundle {
  readonly #chunks: AsyncGenerator<string>;
  #next: Promise<IteratorResult<string, undefined>>;

  constructor(chunks: AsyncGenerator<string>) {
    this.#chunks = chunks;
    this.#next = this.#prefetch();
  }

  async readChunk(): Promise<Uint8Array<ArrayBuffer> | null> {
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

/** Answers the requests of the parent thread. `columns` are those of each chain, by its collection. */
export async function serveVerification(columns: ChainColumns): Promise<void> {
  const access = readThreadData<DatabaseAccess>();
  const { connection, keyStore } = await openThreadDatabase(access, POOL_SIZE);
  const contents = createContents(keyStore, () => undefined);
  const db = connection.getClient().db(access.database);
  answerRequests(createAnswers(db, { columns, contents }));
}

function createAnswers(
  db: ChainVerification['db'],
  { columns, contents }: { columns: ChainColumns; contents: Contents },
) {
  const bundles = new Map<number, Bundle>();
  let opened = 0;

  function getColumns({ collection }: Chain): Columns {
    const found = columns[collection];
    if (!found) throw new TypeError(`no columns of ${collection}`);
    return found;
  }

  function toKnownChain({ chain, organizationId, known }: ChainRequest, signal: AbortSignal) {
    return { ...known, db, chain, columns: getColumns(chain), contents, organizationId, signal };
  }

  function createChunks(
    { chain, bundle }: { chain: Chain; bundle: BundleQueryRange },
    onOmission?: (omission: Omission) => void,
  ) {
    return bundleChunks(db, chain, Object.assign({ onOmission }, bundle, { contents }));
  }

  return async (request: VerificationRequest, signal: AbortSignal): Promise<unknown> => {
    switch (request.kind) {
      case 'verify':
        return verifyChain({ ...toKnownChain(request, signal), ranges: request.ranges });
      case 'ranges':
        return splitRanges(toKnownChain(request, signal), request.length);
      case 'replay':
        return replayRange(toKnownChain(request, signal), request.range);
      case 'measure':
        return measure((onOmission) => createChunks(request, onOmission), signal);
      case 'open':
        bundles.set(++opened, new Bundle(createChunks(request)));
        return opened;
      case 'next':
        return (await bundles.get(request.bundleId)?.readChunk()) ?? null;
      case 'close':
        await bundles.get(request.bundleId)?.close();
        return bundles.delete(request.bundleId);
    }
  };
}

/** Measures a bundle by making its text once, since size and omissions are sent before it. */
async function measure(
  readChunks: (onOmission: (omission: Omission) => void) => AsyncIterable<string>,
  signal: AbortSignal,
): Promise<BundleMeasure> {
  const omissions: string[] = [];
  let bytes = 0;
  const chunks = readChunks(({ names, sequence }) =>
    omissions.push(JSON.stringify({ names, sequence })),
  );
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    bytes += Buffer.byteLength(chunk);
  }
  return { bytes, omissions: omissions.length === 0 ? null : `[${omissions.join(',')}]` };
}
