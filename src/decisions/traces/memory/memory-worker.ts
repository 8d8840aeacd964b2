// Runs the index of the memory search in a worker thread.
import type { Config } from '../../../config/config.ts';
import { extendAllowed } from '../../../domain/outbound/ssrf.ts';
import { formatModelName, type RemoteModel } from '../../../platform/embedding/remote-embedder.ts';
import { WORD_MODEL } from '../../../platform/embedding/word-embedder.ts';
import type { Platform } from '../../../platform/platform.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import type { MemoryIndex } from './memory-index.ts';
import type { Neighbour } from '../../../domain/nearest/nearest.ts';
import type { MemoryRequest, MemoryThreadData } from './memory-thread.ts';

const MEGABYTE = 1024 * 1024;

export function createMemoryWorker({
  config,
  databaseAccess: database,
  threads,
}: Pick<Platform, 'config' | 'databaseAccess' | 'threads'>): MemoryIndex {
  const remote = readRemoteModel(config);
  const { ASSAY_OUTBOUND_ALLOW, ASSAY_MEMORY_INDEX_MB: megabytes } = config;
  const allow = remote ? extendAllowed(ASSAY_OUTBOUND_ALLOW, remote.url) : ASSAY_OUTBOUND_ALLOW;
  const maxBytes = megabytes * MEGABYTE;
  const data: MemoryThreadData = { database, remote, allow, maxBytes };
  const pool = threads.open<MemoryRequest, unknown>('memory', data);

  /** Runs one search per organisation at a time, so that another organisation waits for at most one of them. */
  const questions = new KeyedMutex();

  return {
    model: remote ? formatModelName(remote) : WORD_MODEL,
    async store(organizationId, entries) {
      await pool.sendToLeastBusy({ kind: 'store', organizationId, entries });
    },
    find: (question) =>
      questions.runExclusive(
        question.organizationId,
        () => pool.sendToLeastBusy({ kind: 'find', question }) as Promise<readonly Neighbour[]>,
      ),
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
