// Runs the index of the memory search in a worker thread: started on first use, restarted after a failure.
import type { Config } from '../../../config/config.ts';
import { extendAllowed } from '../../../domain/outbound/ssrf.ts';
import { formatModelName, type RemoteModel } from '../../../platform/embedding/remote-embedder.ts';
import { WORD_MODEL } from '../../../platform/embedding/word-embedder.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createLastingThread } from '../../../platform/answering-thread.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import type { MemoryIndex } from './memory-index.ts';
import type { Neighbour } from '../../../domain/nearest/nearest.ts';
import type { MemoryRequest, MemoryThreadData } from './memory-thread.ts';

type Deps = Pick<Platform, 'config' | 'mongoUri' | 'connection' | 'keyAccess' | 'threadScripts'>;

/** Memory limits of the thread; its vectors are outside the heap and not bounded by them. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 512 };
const MEGABYTE = 1024 * 1024;
/** Idle time before the thread ends: longer than others', since its next search would read all vectors again. */
const REST_MS = 10 * 60_000;

export interface MemoryWorker extends MemoryIndex {
  close(): Promise<void>;
}

export function createMemoryWorker({
  config,
  mongoUri: uri,
  connection,
  keyAccess: keyStore,
  threadScripts,
}: Deps): MemoryWorker {
  const remote = readRemoteModel(config);
  const script = new URL('./memory-thread.mjs', threadScripts ?? import.meta.url);
  const { ASSAY_OUTBOUND_ALLOW, ASSAY_MEMORY_INDEX_MB: megabytes } = config;
  const allow = remote ? extendAllowed(ASSAY_OUTBOUND_ALLOW, remote.url) : ASSAY_OUTBOUND_ALLOW;
  const maxBytes = megabytes * MEGABYTE;
  const database = connection.name;
  const workerData: MemoryThreadData = { uri, database, keyStore, remote, allow, maxBytes };
  const thread = createLastingThread<MemoryRequest>({
    script,
    workerData,
    resourceLimits: RESOURCE_LIMITS,
    restMs: REST_MS,
  });

  /** Runs one search per organisation at a time, so that another organisation waits for at most one of them. */
  const questions = new KeyedMutex();

  return {
    model: remote ? formatModelName(remote) : WORD_MODEL,
    async store(organizationId, entries) {
      await thread.sendRequest({ kind: 'store', organizationId, entries });
    },
    find: (question) =>
      questions.runExclusive(
        question.organizationId,
        () => thread.sendRequest({ kind: 'find', question }) as Promise<readonly Neighbour[]>,
      ),
    close: thread.close,
  };
}

function readRemoteModel(config: Config): RemoteModel | null {
  const url = config.ASSAY_EMBEDDING_URL;
  if (url === undefined) return null;
  return {
    url,
    key: config.ASSAY_EMBEDDING_KEY,
    model: config.ASSAY_EMBEDDING_MODEL,
    dimensions: config.ASSAY_EMBEDDING_DIMENSIONS,
  };
}
