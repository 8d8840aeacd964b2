// Finds and opens logs: each chain of an organisation has one from its first entry on, and the installation one more.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import { perInstance } from '../../platform/per-instance.ts';
import { AppError, isDuplicateKey } from '../../errors.ts';
import { HEADS_OWNER } from '../../ledger/log/heads-log.ts';
import { loadNoteSigner } from './keys/log-keys.service.ts';
import type { LogChain, LogDocument } from './logs.model.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

/** The chain and the id of the first heads log. */
export const HEADS = 'heads';

const ID_BYTES = 16;
const CACHED_MAX = 10_000;
const NEWEST_FIRST = { generation: -1 } as const;

/** Names a log so that its origin never changes. */
export type LogName = Pick<LogDocument, '_id' | 'origin'>;

/** The organisation of a log, by its id. */
const openOwners = perInstance(() => new LRUCache<string, string>(limitEntries(CACHED_MAX)));

/** Whether logs are kept. */
export const isLogOn = ({ config }: Platform): boolean => config.ASSAY_LOG === 'on';

/** Whether tree heads wait for witnesses. */
export function hasWitnesses({ config }: Platform): boolean {
  const policy = config.ASSAY_WITNESS_POLICY;
  return policy !== undefined && policy.quorum !== null;
}

/** The newest log of a chain; null: it has none yet. */
export function findLog(
  { models }: Platform,
  organizationId: string,
  chain: LogChain,
): Promise<LogDocument | null> {
  return models.logs.findOne({ organizationId, chain }).sort(NEWEST_FIRST).lean<LogDocument>();
}

/** Finds the newest log of a chain, or makes its first one. */
export async function openLog(
  platform: Platform,
  organizationId: string,
  chain: LogChain,
): Promise<LogDocument> {
  const found = await findLog(platform, organizationId, chain);
  return found ?? createLog(platform, organizationId, chain, 1);
}

/** The newest heads log; null before the first tree head. */
export function findHeadsLog(platform: Platform): Promise<LogDocument | null> {
  return findLog(platform, HEADS_OWNER, HEADS);
}

export function openHeadsLog(platform: Platform): Promise<LogDocument> {
  return openLog(platform, HEADS_OWNER, HEADS);
}

/** Finds a log of a chain by its name, also one that another log has followed; null: there is none. */
export function findLogByOrigin(
  { models }: Platform,
  organizationId: string,
  { chain, origin }: Pick<LogDocument, 'chain' | 'origin'>,
): Promise<LogDocument | null> {
  return models.logs.findOne({ organizationId, chain, origin }).lean<LogDocument>();
}

/** Closes a log for good, and opens the next one of its chain. A repetition does the same once. */
export async function replaceLog(
  platform: Platform,
  closed: LogDocument,
  why: string,
): Promise<LogDocument> {
  const { _id, organizationId, chain, generation } = closed;
  await platform.models.logs.updateOne(
    { _id, organizationId, frozen: null },
    { $set: { frozen: { at: platform.clock.now(), why } } },
  );
  return createLog(platform, organizationId.toHexString(), chain, generation + 1);
}

/** Finds a log by its id, which is the right to read it; null: there is none. */
export async function findLogById(platform: Platform, logId: string): Promise<LogDocument | null> {
  const owners = openOwners(platform);
  const owner = owners.get(logId);
  const found = await platform.models.logs
    .findOne(owner === undefined ? { _id: logId } : { _id: logId, organizationId: owner })
    .setOptions({ crossTenant: true })
    .lean<LogDocument>();
  if (found) owners.set(logId, found.organizationId.toHexString());
  return found;
}

/**
 * Signs nothing more under this log's name until an operator has looked. Of several instances that find a reason at
 * the same time, one records it.
 */
export async function suspendLog(
  { models, clock, metrics, logger }: Platform,
  { _id, organizationId, chain }: Pick<LogDocument, '_id' | 'organizationId' | 'chain'>,
  why: string,
): Promise<void> {
  const { modifiedCount } = await models.logs.updateOne(
    { _id, organizationId, frozen: null },
    { $set: { frozen: { at: clock.now(), why } } },
  );
  if (modifiedCount === 0) return;
  metrics.frozenLogs.inc();
  logger.fatal({ logId: _id, organizationId, chain, why }, 'a log is frozen: it signs no more');
}

async function createLog(
  platform: Platform,
  organizationId: string,
  chain: LogChain,
  generation: number,
): Promise<LogDocument> {
  const { host } = await loadNoteSigner(platform, 'log');
  const _id = chain === HEADS ? formatHeadsLogId(generation) : platform.generateHex(ID_BYTES);
  const origin = `${host}/log/${_id}`;
  const row = { _id, organizationId, chain, generation, origin, createdAt: platform.clock.now() };
  try {
    await platform.models.logs.create([row]);
  } catch (error) {
    // Another instance has made it.
    if (!isDuplicateKey(error)) throw error;
  }
  const made = await findLog(platform, organizationId, chain);
  // Its id is taken by a row that is no longer that of its chain.
  if (!made) throw new AppError('HASH_CHAIN_BROKEN', 'The stored row of the log was altered');
  return made;
}
/** Each heads log has an origin of its own, whose names witnesses are given by hand. */
const formatHeadsLogId = (generation: number): string =>
  generation === 1 ? HEADS : `${HEADS}-${generation}`;
