// Signs promises: each answered entry will stand, as it was answered, in the log of its chain by a time.
import { LRUCache } from 'lru-cache';
import { BatchTree, formatPromise, type PromisedEntry, LOG_KEY, signNote } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import type { BatchPromise, EntryPromise } from '../../../ledger/entry.ts';
import { loadNoteSigner } from '../keys/log-keys.service.ts';
import { isLogOn, openLog, findHeadsLog } from '../logs.service.ts';
import { mayPromise } from '../witnesses/log-witnesses.service.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { perInstance } from '../../../platform/per-instance.ts';

type Dated = PromisedEntry & { createdAt: Date };

const CACHED_MAX = 10_000;
/** Time after which an instance looks again whether a log was frozen. */
const KNOWN_MS = 30_000;

/** The log that promises of an organisation name, also while it is looked up again; empty: it or the heads log is frozen. */
const openOrigins = perInstance(
  (platform) =>
    new LRUCache<string, string>({
      ...limitEntries(CACHED_MAX),
      ttl: KNOWN_MS,
      ttlResolution: 0,
      perf: { now: () => platform.clock.now().getTime() },
      allowStale: true,
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      async fetchMethod(organizationId) {
        const { origin, frozen } = await openLog(platform, organizationId, 'ledger');
        const heads = await findHeadsLog(platform);
        return frozen || heads?.frozen ? '' : origin;
      },
    }),
);

const getDelayMs = ({ config }: Platform): number => config.ASSAY_LOG_MMD_SECONDS * 1000;

/** Promises the entries of a batch, which MUST NOT be empty; null: nothing can be promised now. */
export async function signBatch(
  platform: Platform,
  organizationId: string,
  entries: readonly Dated[],
): Promise<BatchPromise | null> {
  const newest = entries.at(-1);
  if (!isLogOn(platform) || !newest || !mayPromise(platform)) return null;
  try {
    const before = new Date(newest.createdAt.getTime() + getDelayMs(platform));
    return await signPromise(platform, organizationId, entries, before);
  } catch (error) {
    platform.logger.warn({ err: error, organizationId }, 'a batch was answered without a promise');
    return null;
  }
}

/** Promises an entry that was answered before: by the same time, or from now on when that has passed. */
export async function signEntry(
  platform: Platform,
  organizationId: string,
  entry: Dated,
): Promise<EntryPromise | null> {
  const now = platform.clock.now().getTime();
  const isPast = entry.createdAt.getTime() + getDelayMs(platform) <= now;
  const dated = isPast ? { ...entry, createdAt: new Date(now) } : entry;
  const batch = await signBatch(platform, organizationId, [dated]);
  return batch && { note: batch.note, index: 0, path: [] };
}

async function signPromise(
  platform: Platform,
  organizationId: string,
  entries: readonly PromisedEntry[],
  before: Date,
): Promise<BatchPromise | null> {
  const origin = await openOrigins(platform).fetch(organizationId);
  if (!origin) return null;
  const { host, publicKey, sign } = await loadNoteSigner(platform, 'promise');
  const tree = new BatchTree(entries);
  const text = formatPromise({ origin, before, root: tree.root });
  const note = await signNote(text, { name: `${host}/promise`, type: LOG_KEY, publicKey }, sign);
  return { note, listPath: (index) => tree.listPath(index) };
}
