// Streams an evidence bundle of a stored chain in chunks of lines, one database batch at a time (formats.md, 6).
import type { mongo } from 'mongoose';
import {
  formatBundleEntry,
  formatBundleFooter,
  formatBundleHeader,
  type BundleHeader,
} from '../../domain/record/bundle.ts';
import { formatChainTime } from '../../domain/record/chain.ts';
import { disclose } from '../../domain/record/commitments.ts';
import { findDamagedNames } from './committed-values.ts';
import { readDocument } from '../bson-reader.ts';
import type { Contents } from '../contents/contents.ts';
import { readDecryptedEntries } from '../contents/decrypted-entries.ts';
import { type Chain, isSequence } from '../chains.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';

const CURSOR_BATCH = 500;
const CHUNK_CHARACTERS = 128 * 1024;
const ENTRY_MEMBERS = {
  organizationId: 1,
  traceId: 1,
  sequence: 1,
  prevHash: 1,
  payloadDigest: 1,
  chainHash: 1,
  createdAt: 1,
  view: 1,
} as const;

/** The contents of a bundle; the range MUST be resolved beforehand. */
export interface BundleQueryRange extends Omit<BundleHeader, 'prevHash'> {
  /** Names of committed values to disclose. */
  disclosed: readonly string[];
}

/** Values that cannot be disclosed because they are no longer stored. */
export interface Omission {
  sequence: number;
  names: string[];
}

interface BundleSource extends BundleQueryRange {
  /** Absent: contents are stored as they are. */
  contents?: Contents | undefined;
  /** Called for each entry that no longer stores a value to disclose. */
  onOmission?: ((omission: Omission) => void) | undefined;
}

/** Yields the lines of a bundle in chunks of about 128 KB. The text MUST be the same each time for the same chain. */
export async function* bundleChunks(
  db: mongo.Db,
  chain: Chain,
  { disclosed, contents, onOmission, ...queried }: BundleSource,
): AsyncGenerator<string> {
  const remarks = await findRemarks(db, chain, { disclosed, contents, ...queried });
  const header = { ...queried, remarks };
  let before: Stored | null = null;
  let count = 0;
  let text = '';
  for await (const run of readBundleEntries(db, chain, { disclosed, contents, ...header }))
    for (const entry of run) {
      if (!isSequence(entry.sequence)) continue;
      text += before
        ? formatLine(before, disclosed, false)
        : formatBundleHeader({ ...header, prevHash: entry.prevHash });
      before = entry;
      count++;
      if (onOmission) findOmission(entry, disclosed, onOmission);
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
  text += before
    ? formatLine(before, disclosed, true)
    : formatBundleHeader({ ...header, prevHash: null });
  yield text + formatBundleFooter({ count, chainHash: before?.chainHash ?? null });
}

/** Sequences that a remark names. */
const NAMED_MAX = 100;

/** Finds entries with damaged values, which are not disclosed. They are read first, since the header lists them. */
async function findRemarks(db: mongo.Db, chain: Chain, source: BundleSource): Promise<string[]> {
  const { disclosed } = source;
  if (disclosed.length === 0) return [];
  const damaged: number[] = [];
  let count = 0;
  for await (const run of readBundleEntries(db, chain, source))
    for (const entry of run) {
      if (findDamagedNames(entry, disclosed).length === 0) continue;
      if (count++ < NAMED_MAX) damaged.push(entry.sequence);
    }
  if (count === 0) return [];
  const more = count > NAMED_MAX ? ` and ${count - NAMED_MAX} more` : '';
  return [
    `Damaged: stored values of these entries are not what was committed to, so none of theirs are disclosed: ${damaged.join(', ')}${more}. Verify the chain at its service.`,
  ];
}

/** Reads the entries of a range with the committed values to disclose. */
function readBundleEntries(
  db: mongo.Db,
  chain: Chain,
  { disclosed, contents, organizationId, range }: BundleSource,
): AsyncGenerator<readonly Stored[]> {
  const paths = disclosed.map((name) => `sealed.${name}`);
  if (paths.length > 0) paths.push('content', 'generation');
  const values = Object.fromEntries(paths.map((path) => [path, 1]));
  const sequence = { $gte: range.fromSequence ?? 1, $lte: range.toSequence ?? 0 };
  const cursor = db
    .collection<Stored>(chain.collection)
    .find<Buffer>(
      { organizationId: toObjectId(organizationId), sequence },
      { ...MAJORITY, projection: { ...ENTRY_MEMBERS, ...values }, raw: true },
    )
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  return readDecryptedEntries(cursor, { organizationId, contents, read: readDocument });
}

/** Formats an entry member by member: spreading them would take as long as reading the entry (row export). */
function formatLine(entry: Stored, disclosed: readonly string[], isLast: boolean): string {
  const { _id, organizationId, traceId, sequence, prevHash, payloadDigest, chainHash } = entry;
  const { createdAt, view } = entry;
  return formatBundleEntry(
    {
      id: String(_id),
      organizationId: String(organizationId),
      traceId,
      sequence,
      prevHash,
      payloadDigest,
      chainHash,
      createdAt: formatTime(createdAt),
      view: typeof view === 'string' ? view : 'null',
      disclosures: listDisclosures(entry, disclosed),
    },
    isLast,
  );
}

/** Formats the time of an entry. A stored value that is no time is shown as it is, for the verifier to find. */
function formatTime(createdAt: unknown): string {
  const isTime = createdAt instanceof Date && !Number.isNaN(createdAt.getTime());
  return isTime ? formatChainTime(createdAt) : String(createdAt);
}

function listDisclosures(entry: Stored, disclosed: readonly string[]): string[] {
  if (findDamagedNames(entry, disclosed).length > 0) return [];
  const sealed = getCommittedValues(entry);
  return disclosed.flatMap((name) => {
    const value = sealed[name];
    return value ? disclose(name, value.seed, value.text) : [];
  });
}

function findOmission(
  entry: Stored,
  disclosed: readonly string[],
  onOmission: (omission: Omission) => void,
): void {
  const sealed = getCommittedValues(entry);
  const absent = disclosed.filter((name) => !sealed[name]);
  if (absent.length === 0) return;
  const { commitments, unstored } = readView(entry.view);
  const names = absent.filter((name) => Object.hasOwn(commitments, name) && !unstored.has(name));
  if (names.length > 0) onOmission({ sequence: entry.sequence, names: names.toSorted() });
}

/** Reads the commitments of a view; a view that is no JSON has none, which the verifier of the bundle reports. */
function readView(view: string): { commitments: object; unstored: ReadonlySet<string> } {
  try {
    const payload = JSON.parse(view) as { commitments?: object; unstored?: string[] };
    const { commitments = {}, unstored = [] } = payload;
    return { commitments: Object(commitments) as object, unstored: new Set(unstored) };
  } catch {
    return { commitments: {}, unstored: new Set() };
  }
}
