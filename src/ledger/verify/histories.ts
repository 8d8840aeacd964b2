// Checks the history of every decision and attested record that has one: found in an index walk, each read once.
import type { mongo } from 'mongoose';
import { EffectClaims } from '../../domain/actions/effect-claims.ts';
import type { Chain } from '../chains.ts';
import type { Columns } from '../columns.ts';
import type { Contents } from '../contents/contents.ts';
import { readDecryptedEntries } from '../contents/decrypted-entries.ts';
import type { Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { ABOUT_ONE } from '../reads.ts';
import { readIntact } from '../bson-reader.ts';
import { History, type HistoryContext } from './history.ts';
import type { SequenceSet } from './sequence-set.ts';

/** Histories to read by one query; one at a time is in memory. */
const HISTORIES_MAX = 64;
const KEY_MEMBERS = { _id: 0, traceId: 1, sequence: 1 } as const;
const KEYS_BATCH = 5000;
const ENTRIES_BATCH = 64;

/** The histories of a replayed chain. */
export interface ReplayedHistories extends Omit<HistoryContext, 'effects'> {
  db: mongo.Db;
  chain: Chain;
  columns: Columns;
  /** Absent: contents are stored as they are. */
  contents?: Contents | undefined;
  /** 24 hex digits. */
  organizationId: string;
  signal?: AbortSignal | undefined;
  /** Decisions whose history has to be read even if no other entry is about them. */
  suspected: SequenceSet;
  /** The sequence of the first entry that was replayed. */
  first: number;
}

type Key = Pick<Stored, 'sequence'> & { traceId: string; kind?: string };

/** Checks all histories. Entries appended after the replay belong to them too, since they may be folded already. */
export async function checkHistories(histories: ReplayedHistories): Promise<void> {
  const effects = new EffectClaims();
  const replayed = Object.assign({ effects }, histories);
  let traceIds: string[] = [];
  for await (const traceId of listWithHistory(replayed)) {
    traceIds.push(traceId);
    if (traceIds.length < HISTORIES_MAX) continue;
    await checkHistoryBatch(replayed, traceIds);
    traceIds = [];
  }
  if (traceIds.length > 0) await checkHistoryBatch(replayed, traceIds);
  const second = effects.findSecond();
  if (!second) return;
  const { sequence, other } = second;
  const what = `an effect is claimed a second time: the claim at ${other} had not failed`;
  histories.findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
}

/**
 * Lists the decisions and records with more than one entry, and the suspected decisions. A whole chain costs the index
 * alone; after a verified position, every later entry that is no decision continues a history.
 */
async function* listWithHistory({
  db,
  chain,
  organizationId,
  newest,
  suspected,
  first,
  signal,
}: ReplayedHistories): AsyncGenerator<string> {
  const isWhole = first === 1;
  const keys = db
    .collection(chain.collection)
    .find<Key>(
      {
        organizationId: toObjectId(organizationId),
        traceId: { $gt: '' },
        sequence: { $gte: first, $lte: newest },
      },
      isWhole
        ? { ...ABOUT_ONE, projection: KEY_MEMBERS }
        : {
            ...MAJORITY,
            projection: { ...KEY_MEMBERS, kind: 1 },
            hint: 'chain',
            allowDiskUse: true,
          },
    )
    .sort({ traceId: 1, sequence: 1 })
    .batchSize(KEYS_BATCH);
  let last = '';
  let given = '';
  for await (const { traceId, sequence, kind = 'trace' } of keys) {
    signal?.throwIfAborted();
    const hasHistory = traceId === last || kind !== 'trace' || suspected.has(sequence);
    last = traceId;
    if (!hasHistory || traceId === given) continue;
    given = traceId;
    yield traceId;
  }
}

/** Checks a batch of histories. A decision is read before its amendments, so that those folded since are read too. */
async function checkHistoryBatch(
  { db, chain, organizationId, contents, signal, ...context }: ReplayedHistories & HistoryContext,
  traceIds: readonly string[],
): Promise<void> {
  const entries = db
    .collection(chain.collection)
    .find<Buffer>(
      {
        organizationId: toObjectId(organizationId),
        traceId: { $in: traceIds },
        sequence: { $gte: 1 },
      },
      { ...ABOUT_ONE, raw: true },
    )
    .sort({ traceId: 1, sequence: 1 })
    .batchSize(ENTRIES_BATCH);
  let traceId: unknown = null;
  let history = new History(context);
  const opening = { organizationId, contents, signal, read: readIntact };
  for await (const run of readDecryptedEntries(entries, opening))
    for (const entry of run) {
      // The replay has reported entries that are unreadable or have no place in the chain.
      if (!entry || !Number.isSafeInteger(entry.sequence)) continue;
      if (entry.traceId !== traceId) {
        history.finish();
        history = new History(context);
        traceId = entry.traceId;
      }
      history.takeEntry(entry);
    }
  history.finish();
}
