// The worker thread of the memory search: embeds texts, stores and compares vectors with its own database client.
import { setTimeout as wait } from 'node:timers/promises';
import { createContents } from '../../../ledger/contents/contents.ts';
import { createModels } from '../../../models.ts';
import { createEmbedder } from '../../../platform/embedding/create-embedder.ts';
import type { RemoteModel } from '../../../platform/embedding/remote-embedder.ts';
import { createSafeHttp } from '../../../platform/outbound/safe-http.ts';
import { answerRequests, readThreadData } from '../../../platform/threads/answer-requests.ts';
import {
  type DatabaseAccess,
  openThreadDatabase,
} from '../../../platform/threads/thread-database.ts';
import type { ChangedEntry, MemoryQuestion } from './memory-index.ts';
import { createTraceVectorService } from './trace-vectors.service.ts';
import { createVectorIndex } from './vector-index.ts';

export interface MemoryThreadData {
  database: DatabaseAccess;
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

const { database, remote, allow, maxBytes } = readThreadData<MemoryThreadData>();
const { connection, keyStore } = await openThreadDatabase(database, POOL_SIZE);
const models = createModels(connection);
const embedder = createEmbedder(remote, createSafeHttp({ ...OUTBOUND, allow }));
const contents = createContents(keyStore, () => undefined);
const vectors = createTraceVectorService({ models, embedder, contents, wait });
const index = createVectorIndex({ models, embedder, contents, maxBytes });

answerRequests<MemoryRequest>(async (request) => {
  if (request.kind === 'store') return vectors.store(request.organizationId, request.entries);
  const [vector = null] = await embedder.embed([request.question.query]);
  return vector ? index.findNearest(vector, request.question) : [];
});
