// Finds and opens logs: each chain of an organisation has one from its first entry on, and the installation one more.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../platform/platform.ts';
import { AppError, isDuplicateKey } from '../../errors.ts';
import { HEADS_OWNER } from '../../ledger/log/heads-log.ts';
import type { LogKeyService } from './keys/log-keys.service.ts';
import type { LogChain, LogDocument } from './logs.model.ts';
import { limitEntries } from '../../domain/entry-limit.ts';

interface Deps {
  keys: LogKeyService;
}

/** The chain and the id of the first heads log. */
export const HEADS = 'heads';

const ID_BYTES = 16;
const CACHED_MAX = 10_000;
const NEWEST_FIRST = { generation: -1 } as const;

/** Names a log so that its origin never changes. */
export type LogName = Pick<LogDocument, '_id' | 'origin'>;

export function createLogService(
  platform: Pick<Platform, 'models' | 'clock' | 'generateHex' | 'logger' | 'metrics'>,
  { keys }: Deps,
) {
  const { models, clock, generateHex, logger, metrics } = platform;
  const owners = new LRUCache<string, string>(limitEntries(CACHED_MAX));

  /** The newest log of a chain; null: it has none yet. */
  function findLog(organizationId: string, chain: LogChain): Promise<LogDocument | null> {
    return models.logs.findOne({ organizationId, chain }).sort(NEWEST_FIRST).lean<LogDocument>();
  }

  /** Finds the newest log of a chain, or makes its first one. */
  async function openLog(organizationId: string, chain: LogChain): Promise<LogDocument> {
    const found = await findLog(organizationId, chain);
    return found ?? createLog(organizationId, chain, 1);
  }

  async function createLog(
    organizationId: string,
    chain: LogChain,
    generation: number,
  ): Promise<LogDocument> {
    const { host } = await keys.loadSigner('log');
    const _id = chain === HEADS ? formatHeadsLogId(generation) : generateHex(ID_BYTES);
    const origin = `${host}/log/${_id}`;
    const row = { _id, organizationId, chain, generation, origin, createdAt: clock.now() };
    try {
      await models.logs.create([row]);
    } catch (error) {
      // Another instance has made it.
      if (!isDuplicateKey(error)) throw error;
    }
    const made = await findLog(organizationId, chain);
    // Its id is taken by a row that is no longer that of its chain.
    if (!made) throw new AppError('HASH_CHAIN_BROKEN', 'The stored row of the log was altered');
    return made;
  }

  return {
    findLog,
    openLog,

    /** The newest heads log; null before the first tree head. */
    findHeadsLog(): Promise<LogDocument | null> {
      return findLog(HEADS_OWNER, HEADS);
    },

    openHeadsLog(): Promise<LogDocument> {
      return openLog(HEADS_OWNER, HEADS);
    },

    /** Finds a log of a chain by its name, also one that another log has followed; null: there is none. */
    findLogByOrigin(
      organizationId: string,
      { chain, origin }: Pick<LogDocument, 'chain' | 'origin'>,
    ): Promise<LogDocument | null> {
      return models.logs.findOne({ organizationId, chain, origin }).lean<LogDocument>();
    },

    /** Closes a log for good, and opens the next one of its chain. A repetition does the same once. */
    async replaceLog(closed: LogDocument, why: string): Promise<LogDocument> {
      const { _id, organizationId, chain, generation } = closed;
      await models.logs.updateOne(
        { _id, organizationId, frozen: null },
        { $set: { frozen: { at: clock.now(), why } } },
      );
      return createLog(organizationId.toHexString(), chain, generation + 1);
    },

    /** Finds a log by its id, which is the right to read it; null: there is none. */
    async findLogById(logId: string): Promise<LogDocument | null> {
      const owner = owners.get(logId);
      const found = await models.logs
        .findOne(owner === undefined ? { _id: logId } : { _id: logId, organizationId: owner })
        .setOptions({ crossTenant: true })
        .lean<LogDocument>();
      if (found) owners.set(logId, found.organizationId.toHexString());
      return found;
    },

    /**
     * Signs nothing more under this log's name until an operator has looked. Of several instances that find a reason at
     * the same time, one records it.
     */
    async suspendLog(
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
    },
  };
}
/** Each heads log has an origin of its own, whose names witnesses are given by hand. */
const formatHeadsLogId = (generation: number): string =>
  generation === 1 ? HEADS : `${HEADS}-${generation}`;

export type LogService = ReturnType<typeof createLogService>;
