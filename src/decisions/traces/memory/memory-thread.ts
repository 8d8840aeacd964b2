// The worker thread of the memory search: embeds texts, stores and compares vectors with its own database client.
import '../../../platform/background-thread.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { createContents } from '../../../ledger/contents/contents.ts';
import { createModels } from '../../../models.ts';
import { createEmbedder } from '../../../platform/embedding/create-embedder.ts';
import type { RemoteModel } from '../../../platform/embedding/remote-embedder.ts';
import { type KeyStoreAccess, openKeyStore } from '../../../platform/key-store/open-key-store.ts';
import { connectMongo } from '../../../platform/mongo/connection.ts';
import { createSafeHttp } from '../../../platform/outbound/safe-http.ts';
import { answerRequests } from '../../../platform/thread-answers.ts';
import type { ChangedEntry, MemoryQuestion } from './memory-index.ts';
import { createTraceVectorService } from './trace-vectors.service.ts';
import { createVectorIndex } from './vector-index.ts';

export interface MemoryThreadData {
  /** Connection string. */
  uri: string;
  /** Name of the database. */
  database: string;
  keyStore: KeyStoreAccess;
  /** Null: the built-in model. */
  remote: RemoteModel | null;
  /** Private hosts that may be called, including that of the model. */
  allow: readonly string[];
  maxBytes: number;
}

export type MemoryRequest =
  | { kind: 'store'; organizationId: string; entries: readonly ChangedEntry[] }
  | { kind: 'find'; question: MemoryQuestion };

const POOL_SIZE = 4;
/** Bounds of one request to a remote model; 32 vectors of 1,024 numbers as text are 0.7 MB. */
const OUTBOUND = { timeoutMs: 10_000, maxBytes: 4 << 20 };

const { uri, database, keyStore: access, remote, allow, maxBytes } = workerData as MemoryThreadData;
const { connection } = await connectMongo({ uri, poolSize: POOL_SIZE });
const models = createModels(connection.useDb(database));
const embedder = createEmbedder(remote, createSafeHttp({ ...OUTBOUND, allow }));
const { keyStore } = await openKeyStore(access, { connection, database });
const contents = createContents(keyStore, () => undefined);
const vectors = createTraceVectorService({ models, embedder, contents, wait });
const index = createVectorIndex({ models, embedder, contents, maxBytes });

answerRequests<MemoryRequest>(async ({ request }) => {
  if (request.kind === 'store') return vectors.store(request.organizationId, request.entries);
  const [vector = null] = await embedder.embed([request.question.query]);
  return vector ? index.findNearest(vector, request.question) : [];
});
