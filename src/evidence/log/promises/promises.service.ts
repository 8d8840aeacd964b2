// Signs promises: each answered entry will stand, as it was answered, in the log of its chain by a time.
import { LRUCache } from 'lru-cache';
import { BatchTree, formatPromise, type PromisedEntry, LOG_KEY, signNote } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import type { BatchPromise, EntryPromise } from '../../../ledger/entry.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';
import type { LogService } from '../logs.service.ts';
import type { LogWitnessService } from '../witnesses/log-witnesses.service.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';

interface Deps {
  keys: LogKeyService;
  logs: LogService;
  witnesses: Pick<LogWitnessService, 'mayPromise'>;
}

type Dated = PromisedEntry & { createdAt: Date };

const CACHED_MAX = 10_000;
/** Time after which an instance looks again whether a log was frozen. */
const KNOWN_MS = 30_000;

export function createPromiseService(
  platform: Pick<Platform, 'config' | 'clock' | 'logger'>,
  { keys, logs, witnesses }: Deps,
) {
  const { config, clock, logger } = platform;
  const isOn = config.ASSAY_LOG === 'on';
  const delayMs = config.ASSAY_LOG_MMD_SECONDS * 1000;
  /** The log that promises of an organisation name, also while it is looked up again; empty: it or the heads log is frozen. */
  const origins = new LRUCache<string, string>({
    ...limitEntries(CACHED_MAX),
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now: () => clock.now().getTime() },
    allowStale: true,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(organizationId) {
      const { origin, frozen } = await logs.openLog(organizationId, 'ledger');
      const heads = await logs.findHeadsLog();
      return frozen || heads?.frozen ? '' : origin;
    },
  });

  async function signPromise(
    organizationId: string,
    entries: readonly PromisedEntry[],
    before: Date,
  ): Promise<BatchPromise | null> {
    const origin = await origins.fetch(organizationId);
    if (!origin) return null;
    const { host, publicKey, sign } = await keys.loadSigner('promise');
    const tree = new BatchTree(entries);
    const text = formatPromise({ origin, before, root: tree.root });
    const note = await signNote(text, { name: `${host}/promise`, type: LOG_KEY, publicKey }, sign);
    return { note, listPath: (index) => tree.listPath(index) };
  }

  /** Promises the entries of a batch, which MUST NOT be empty; null: nothing can be promised now. */
  async function signBatch(
    organizationId: string,
    entries: readonly Dated[],
  ): Promise<BatchPromise | null> {
    const newest = entries.at(-1);
    if (!isOn || !newest || !witnesses.mayPromise()) return null;
    try {
      const before = new Date(newest.createdAt.getTime() + delayMs);
      return await signPromise(organizationId, entries, before);
    } catch (error) {
      logger.warn({ err: error, organizationId }, 'a batch was answered without a promise');
      return null;
    }
  }

  return {
    signBatch,

    /** Promises an entry that was answered before: by the same time, or from now on when that has passed. */
    async signEntry(organizationId: string, entry: Dated): Promise<EntryPromise | null> {
      const now = clock.now().getTime();
      const isPast = entry.createdAt.getTime() + delayMs <= now;
      const dated = isPast ? { ...entry, createdAt: new Date(now) } : entry;
      const batch = await signBatch(organizationId, [dated]);
      return batch && { note: batch.note, index: 0, path: [] };
    },
  };
}
export type PromiseService = ReturnType<typeof createPromiseService>;
