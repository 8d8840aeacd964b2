// Streams an evidence bundle from a stored chain: chunks of lines, one database batch in memory at a time (docs/formats.md, 6).
import type { mongo } from 'mongoose';
import {
  bundleEntry,
  bundleFooter,
  bundleHeader,
  type BundleHeader,
} from '../../domain/record/bundle.ts';
import { chainTime } from '../../domain/record/chain.ts';
import { disclose } from '../../domain/record/commitments.ts';
import { readDocument } from './bson-reader.ts';
import type { Contents } from '../contents/contents.ts';
import type { Chain } from '../chains.ts';
import { MAJORITY } from '../read-write-concerns.ts';
import { sealedOf, type Stored } from '../entry.ts';
import { objectId } from '../ledger.model.ts';

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

/** What a bundle is to hold; its range is resolved beforehand. */
export interface BundleQueryRange extends Omit<BundleHeader, 'prevHash'> {
  /** Names of committed values to disclose. */
  disclosed: readonly string[];
}

interface BundleSource extends BundleQueryRange {
  /** Absent: contents are stored as they are. */
  contents?: Contents | undefined;
}

/** The lines of a bundle, in chunks of about 128 KB. */
export async function* bundleChunks(
  db: mongo.Db,
  chain: Chain,
  { disclosed, contents, ...header }: BundleSource,
): AsyncGenerator<string> {
  let before: Stored | null = null;
  let count = 0;
  let text = '';
  for await (const entry of entriesIn(db, chain, { disclosed, contents, ...header })) {
    text += before
      ? lineOf(before, disclosed, false)
      : bundleHeader({ ...header, prevHash: entry.prevHash });
    before = entry;
    count++;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  text += before ? lineOf(before, disclosed, true) : bundleHeader({ ...header, prevHash: null });
  yield text + bundleFooter({ count, chainHash: before?.chainHash ?? null });
}

/** The entries of a range, with the committed values that are disclosed. */
async function* entriesIn(
  db: mongo.Db,
  chain: Chain,
  { disclosed, contents, organizationId, range }: BundleSource,
): AsyncGenerator<Stored> {
  const paths = disclosed.map((name) => `sealed.${name}`);
  if (paths.length > 0) paths.push('content', 'generation');
  const values = Object.fromEntries(paths.map((path) => [path, 1]));
  const sequence = { $gte: range.fromSequence ?? 1, $lte: range.toSequence ?? 0 };
  const cursor = db
    .collection<Stored>(chain.collection)
    .find<Buffer>(
      { organizationId: objectId(organizationId), sequence },
      { ...MAJORITY, projection: { ...ENTRY_MEMBERS, ...values }, raw: true },
    )
    .sort({ sequence: 1 })
    .batchSize(CURSOR_BATCH);
  for await (const bytes of cursor) {
    const entry = readDocument(bytes) as Stored;
    yield contents ? await contents.openOne(organizationId, entry) : entry;
  }
}

function lineOf(entry: Stored, disclosed: readonly string[], isLast: boolean): string {
  const { _id, organizationId, createdAt } = entry;
  const sealed = sealedOf(entry);
  const disclosures = disclosed.flatMap((name) => {
    const value = sealed[name];
    return value ? disclose(name, value.seed, value.text) : [];
  });
  const { traceId, sequence, prevHash, payloadDigest, chainHash, view } = entry;
  const ids = { id: _id.toHexString(), organizationId: organizationId.toHexString(), traceId };
  const link = { sequence, prevHash, payloadDigest, chainHash, createdAt: chainTime(createdAt) };
  return bundleEntry({ ...ids, ...link, view, disclosures }, isLast);
}
