// Looks for what is left of erased decisions: in the database, in the key store, in copies that may exist elsewhere.
import { WORDED_KINDS } from '../../../domain/record/trace-state.ts';
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import { toLeaf } from '../../../domain/keys/key-tree.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { EpochDocument } from '../../../platform/key-store/epochs/epoch-store.ts';
import { countIndexedDecisions } from '../../../decisions/traces/search/remaining-words.service.ts';
import { COUNT_STORED } from '../erasure-impact.service.ts';
import type { ErasureDocument } from '../erasures.model.ts';
import type { RemainingCopies } from '../erasure.schemas.ts';

/** Copies of the key store that were made in a time. */
interface BackupTime {
  epoch: number;
  from: Date | null;
  until: Date | null;
  openedBy: 'encryption-key' | 'custodian' | 'nothing';
}

/** An entry that held values of a decision. */
interface Held {
  kind: string;
  sequence: number;
  generation?: number;
  createdAt: Date;
  stored: number;
}

interface Counts extends Omit<RemainingCopies, 'backups' | 'exports'> {
  /** Sequences of the entries, and when the first of them was made. */
  sequences: number[];
  since: Date | null;
}

/** Decisions of one query. */
const BATCH = 250;
const EXPORTS_MAX = 100;

/** Counts what is left of an executed erasure at this moment. */
export async function findCopies(
  platform: Platform,
  erasure: ErasureDocument,
): Promise<RemainingCopies> {
  const { traceIds, executedAt } = erasure;
  const organizationId = erasure.organizationId.toHexString();
  const none = { data: 0, searchWords: 0, vectors: 0, outbox: 0, mails: 0, keyStore: 0 };
  const counts: Counts = Object.assign({ sequences: [], since: null }, none);
  counts.mails = await platform.mailer.countAbout(traceIds);
  for (let from = 0; from < traceIds.length; from += BATCH)
    await addBatch(platform, counts, organizationId, traceIds.slice(from, from + BATCH));
  const { sequences, since, ...left } = counts;
  const backups = listBackups(await platform.epochs.store.listEpochs(), {
    since,
    until: executedAt,
  });
  return Object.assign(left, { backups, exports: await findExports(platform, erasure, sequences) });
}

function readHeld(
  { models }: Platform,
  organizationId: string,
  traceIds: string[],
): Promise<Held[]> {
  const match = { organizationId: toObjectId(organizationId), traceId: { $in: traceIds } };
  const shown = { kind: 1, sequence: 1, generation: 1, createdAt: 1, stored: COUNT_STORED };
  return models.ledger
    .aggregate<Held>([{ $match: { ...match, kind: { $in: WORDED_KINDS } } }, { $project: shown }])
    .option({ hint: 'subject' });
}

/** How many of the entries have a key that can still be derived. */
async function countKeys(
  { keyStore }: Platform,
  organizationId: string,
  held: readonly Held[],
): Promise<number> {
  const leaves = held.map(({ sequence, generation }) => toLeaf(sequence, generation));
  const keys = await keyStore.loadLeafKeys(organizationId, leaves);
  return leaves.filter((leaf) => keys.hasKey(leaf)).length;
}

async function addBatch(
  platform: Platform,
  counts: Counts,
  organizationId: string,
  traceIds: string[],
) {
  const held = await readHeld(platform, organizationId, traceIds);
  const ingested = held.filter(({ kind }) => kind === 'trace').map(({ sequence }) => sequence);
  for (const { sequence, stored, createdAt } of held) {
    counts.sequences.push(sequence);
    counts.data += stored;
    if (!counts.since || createdAt < counts.since) counts.since = createdAt;
  }
  counts.keyStore += await countKeys(platform, organizationId, held);
  counts.searchWords += await countIndexedDecisions(platform, organizationId, ingested);
  counts.vectors += await platform.models.traceVectors.countDocuments({
    organizationId,
    sequence: { $in: ingested },
    $or: [{ question: { $ne: null } }, { answer: { $ne: null } }],
  });
  const subject = { $in: traceIds };
  counts.outbox += await platform.models.outbox.countDocuments({ organizationId, subject });
}

/** Audit bundles that were made before the erasure and show values of one of the entries. */
async function findExports(
  { models }: Platform,
  { organizationId, executedAt }: ErasureDocument,
  sequences: number[],
): Promise<RemainingCopies['exports']> {
  sequences.sort((a, b) => a - b);
  const bundles = models.auditBundles
    .find({ organizationId, createdAt: { $lte: executedAt }, 'disclosed.0': { $exists: true } })
    .select('firstSequence lastSequence createdAt disclosed')
    .sort({ createdAt: -1 })
    .lean<AnyBundle[]>()
    .cursor();
  const found: RemainingCopies['exports'] = [];
  for await (const bundle of bundles as AsyncIterable<AnyBundle>) {
    const { _id: bundleId, firstSequence, lastSequence, createdAt, disclosed } = bundle;
    const next = sequences.find((sequence) => sequence >= firstSequence);
    if (next === undefined || next > lastSequence) continue;
    found.push({ bundleId, createdAt, disclosed });
    if (found.length === EXPORTS_MAX) break;
  }
  return found;
}

interface AnyBundle {
  _id: Types.ObjectId;
  firstSequence: number;
  lastSequence: number;
  createdAt: Date;
  disclosed: string[];
}

/** The times, from the first entry to the erasure, from which copies of the key store may hold its keys. */
function listBackups(
  epochs: readonly EpochDocument[],
  { since, until }: { since: Date | null; until: Date | null },
): BackupTime[] {
  const first = epochs[0]?.completedAt ?? null;
  const before: BackupTime = { epoch: 0, from: null, until: first, openedBy: 'encryption-key' };
  const times = epochs.map((epoch, index): BackupTime => {
    const openedBy = epoch.state === 'destroyed' ? 'nothing' : 'custodian';
    const end = epochs[index + 1]?.completedAt ?? null;
    return { epoch: epoch._id, from: epoch.createdAt, until: end, openedBy };
  });
  return [before, ...times].filter(
    (time) =>
      (!time.until || !since || time.until >= since) &&
      (!time.from || !until || time.from <= until),
  );
}
