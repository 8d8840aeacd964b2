// Writes the heads file of a log (formats.md, section 14): the whole heads log, and the log's own checkpoints in it.
import { hash } from 'node:crypto';
import type { Platform } from '../../../platform/platform.ts';
import { toCiphertext } from '../../../ledger/contents/contents.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import { AppError } from '../../../errors.ts';
import type { HeadsLeafDocument, LogHeadDocument } from '../log-heads.model.ts';
import { formatCosignedNote } from './anchors.view.ts';
import { findHeadsHead } from './proof-builder.ts';
import type { WorkContext } from '../../../platform/context.ts';
import { findCheckedLog, findCheckedHeadsLog } from '../checked-logs.ts';

/** The log of a chain. `origin`: one that another log has followed. */
export interface HeadsFileOf {
  chain: ChainName;
  origin?: string | undefined;
}

export interface HeadsFile {
  filename: string;
  body: AsyncIterable<Uint8Array>;
}

/** Leaves that are read at a time. */
const PAGE = 1000;

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** @throws AppError `NOT_FOUND` while no head of the heads log is signed, by witnesses where there are any */
export async function openHeadsFile(
  { platform, tenant: { organizationId } }: WorkContext,
  { chain, origin }: HeadsFileOf,
): Promise<HeadsFile> {
  const name = origin ?? (await findCheckedLog(platform, organizationId, chain))?.origin;
  const heads = name === undefined ? null : await findCheckedHeadsLog(platform);
  const newest = heads && (await findHeadsHead(platform, heads, 0));
  if (name === undefined || !newest)
    throw new AppError('NOT_FOUND', 'No checkpoint is in the heads log yet');
  const body = writeFile(platform, organizationId, name, newest);
  return { filename: `${organizationId}-${chain}.heads`, body };
}

async function readLeaves(
  { models }: Platform,
  from: number,
  before: number,
): Promise<HeadsLeafDocument[]> {
  return models.headsLeaves
    .find({ _id: { $gte: from, $lt: before } })
    .sort({ _id: 1 })
    .lean<HeadsLeafDocument[]>();
}

/** The notes of an organisation's checkpoints among some leaves. */
async function readNotes(
  { models }: Platform,
  organizationId: string,
  leaves: readonly HeadsLeafDocument[],
): Promise<ReadonlyMap<string, string>> {
  const ids = leaves.map(({ headId }) => headId);
  const rows = await models.logHeads
    .find({ organizationId, _id: { $in: ids } }, 'note')
    .lean<Pick<LogHeadDocument, '_id' | 'note'>[]>();
  return new Map(rows.map(({ _id, note }) => [_id.toHexString(), note]));
}

/** The lines of some leaves, each with the checkpoint of the log that it may be about. */
async function writeLeaves(
  platform: Platform,
  organizationId: string,
  origin: string,
  rows: readonly HeadsLeafDocument[],
): Promise<string> {
  const digest = hash('sha256', origin, 'buffer');
  const leaves = rows.map((row) => ({
    ...row,
    data: Buffer.from(toCiphertext(row.data) ?? []),
  }));
  const own = leaves.filter(({ data }) => data.subarray(0, digest.length).equals(digest));
  const notes = await readNotes(platform, organizationId, own);
  const ofOwn = new Map(own.map(({ _id, headId }) => [_id, notes.get(headId.toHexString())]));
  const lines = leaves.flatMap(({ _id, data }) => {
    const note = ofOwn.get(_id);
    const line = `leaf ${data.toString('base64')}\n`;
    return note === undefined ? [line] : [line, `head ${encode(note)}\n`];
  });
  return lines.join('');
}

async function* writeFile(
  platform: Platform,
  organizationId: string,
  origin: string,
  newest: LogHeadDocument,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`assay-heads/v1\n${origin}\n`);
  for (let from = 0; from < newest.size; from += PAGE) {
    const rows = await readLeaves(platform, from, Math.min(from + PAGE, newest.size));
    yield Buffer.from(await writeLeaves(platform, organizationId, origin, rows));
  }
  yield Buffer.from(`checkpoint ${encode(formatCosignedNote(newest))}\n`);
}
