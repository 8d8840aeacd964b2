// Knows which chains have grown beyond their logs: by the notes of heads, and by a slow round over all organisations.
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { LogDocument } from '../logs.model.ts';
import type { ChainKey } from './tree-head-signing.service.ts';

const SECOND = 1000;
/** How far back the first look goes, and the margin of later ones for notes that are written late. */
const LOOKS_BACK_MS = 600 * SECOND;
const MARGIN_MS = 5 * SECOND;
/** Organisations of a slice of the round, and its pace once every organisation was seen. */
const SLICE = 200;
const SLICE_EVERY = 6;

const CHAINS = ['ledger', 'audit'] as const;

const toText = ({ organizationId, chain }: ChainKey): string => `${organizationId} ${chain}`;

export function createGrownChains(
  platform: Pick<Platform, 'models' | 'clock' | 'config' | 'ledger' | 'auditChain'>,
) {
  const { models, clock, config, ledger, auditChain } = platform;
  const signMs = config.ASSAY_LOG_SEAL_SECONDS * SECOND;
  const heads = { ledger: ledger.heads, audit: auditChain.heads };
  /** Chains that may have entries beyond their log, and the highest known sequence of each. */
  const grown = new Map<string, ChainKey & { sequence: number }>();
  let lookedAt: Date | null = null;
  let slicedTo: Types.ObjectId | null = null;
  let slicedAt = 0;
  let isFirstRound = true;

  function noteSequences(chain: ChainKey['chain'], sequences: ReadonlyMap<string, number>): void {
    for (const [organizationId, sequence] of sequences)
      grown.set(toText({ organizationId, chain }), { organizationId, chain, sequence });
  }

  /** Reads the notes since the last look. */
  async function readNotes(now: Date): Promise<void> {
    const back = lookedAt === null ? LOOKS_BACK_MS : now.getTime() - lookedAt.getTime() + MARGIN_MS;
    const since = new Date(now.getTime() - Math.min(back, LOOKS_BACK_MS));
    for (const chain of CHAINS) noteSequences(chain, await heads[chain].findNotedHeads(since));
    lookedAt = now;
  }

  /** Reads the heads of the next organisations: notes may be lost, and chains may be older than the log. */
  async function readSlice(now: Date): Promise<void> {
    if (!isFirstRound && now.getTime() - slicedAt < SLICE_EVERY * signMs) return;
    const organizations = await models.organizations
      .find(slicedTo === null ? {} : { _id: { $gt: slicedTo } }, '_id')
      .sort({ _id: 1 })
      .limit(SLICE)
      .lean<{ _id: Types.ObjectId }[]>();
    const ids = organizations.map(({ _id }) => _id.toHexString());
    for (const chain of CHAINS) noteSequences(chain, await heads[chain].readNewest(ids));
    slicedTo = organizations.at(-1)?._id ?? null;
    if (organizations.length < SLICE) {
      slicedTo = null;
      isFirstRound = false;
    }
    slicedAt = now.getTime();
  }

  /** Loads the state of the logs of some organisations. */
  async function loadLogs(organizationIds: readonly string[]): Promise<Map<string, LogDocument>> {
    const found = await models.logs
      .find(
        { organizationId: { $in: organizationIds } },
        'organizationId chain size sealedAt frozen',
      )
      .sort({ generation: 1 })
      .lean<LogDocument[]>();
    return new Map(
      found.map((log) => [`${log.organizationId.toHexString()} ${log.chain}`, log] as const),
    );
  }

  return {
    /** Lists chains that are beyond their log and whose newest tree head is old enough, the oldest first. */
    async listDue(limit: number): Promise<ChainKey[]> {
      const now = clock.now();
      await readNotes(now);
      await readSlice(now);
      const candidates = [...grown.values()];
      const logs = await loadLogs([...new Set(candidates.map((key) => key.organizationId))]);
      const due: { key: ChainKey; sealedAt: number }[] = [];
      for (const key of candidates) {
        const log = logs.get(toText(key));
        const isCovered = log && (log.size >= key.sequence || log.frozen !== null);
        const sealedAt = log?.sealedAt?.getTime() ?? 0;
        if (isCovered) grown.delete(toText(key));
        else if (now.getTime() - sealedAt >= signMs) due.push({ key, sealedAt });
      }
      return due
        .sort((a, b) => a.sealedAt - b.sealedAt)
        .slice(0, limit)
        .map(({ key }) => key);
    },

    /** Forgets a chain without anything to sign, unless it has grown since it was listed. */
    forgetChain(key: ChainKey): void {
      if (grown.get(toText(key)) === key) grown.delete(toText(key));
    },
  };
}
