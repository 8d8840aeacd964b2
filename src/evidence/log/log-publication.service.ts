// The public parts of a log: its newest checkpoint, its tiles (c2sp.org/tlog-tiles), and the installation's keys.
import { hash } from 'node:crypto';
import { formatVerifierKey, parseNote, WITNESS_KEY, parseTilePath, TILE_WIDTH } from '@assay/tlog';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import { loadNoteSigner, listVerifierKeys } from './keys/log-keys.service.ts';
import type { HeadsLeafDocument, LogHeadDocument } from './log-heads.model.ts';
import type { LogDocument } from './logs.model.ts';
import { formatCosignedNote } from './tree/anchors.view.ts';
import { readTileBytes } from './tree/log-tree.service.ts';
import { findCheckedHeadsLog, findCheckedLogById } from './checked-logs.ts';
import { isLogOn } from './logs.service.ts';

export interface PublishedTile {
  bytes: Buffer;
  /** Whether it is full, so that it never changes. */
  isFull: boolean;
}

/** Keys that verifiers get once, and compare over another channel. */
export interface LogDescription {
  host: string;
  /** Verifier keys of the heads log, the current one first. */
  heads: string[];
  /** Verifier keys of promises, likewise. */
  promises: string[];
  /** Public keys of all logs in base64; a log's origin is the name that it signs under. */
  logKeys: string[];
  maximumMergeDelaySeconds: number;
  /** The verifier key of this installation as a witness of others; null: it is none. */
  witness: string | null;
  /** C2SP tlog-policy; null: no witness is asked. */
  witnessPolicy: string | null;
  /** Whether time stamps (RFC 3161) are asked for. */
  hasTimeStamps: boolean;
  /** Where logs are read and promises are checked (RFC 6570 templates, below the address of this installation). */
  endpoints: typeof ENDPOINTS;
}

const ENDPOINTS = {
  checkpoint: '/log/{logId}/checkpoint',
  tile: '/log/{logId}/tile/{level}/{index}',
  head: '/log/{logId}/head/{sha256}',
  promiseCheck: '/api/v1/hash-chain/promise/check',
} as const;

const LOG_ID = /^([0-9a-f]{32}|heads(-\d{1,6})?)$/;
const DIGEST = /^[0-9a-f]{64}$/;

const isPublic = (platform: Platform): boolean =>
  isLogOn(platform) && platform.config.ASSAY_LOG_PUBLIC === 'on';

/** Reads the newest checkpoint with all its signatures. @throws AppError `NOT_FOUND` */
export async function readCheckpoint(platform: Platform, logId: string): Promise<string> {
  const { headId, organizationId } = await loadLog(platform, logId);
  const head = await platform.models.logHeads
    .findOne({ _id: headId, organizationId })
    .lean<LogHeadDocument>();
  if (!head) throw new AppError('NOT_FOUND');
  return formatCosignedNote(head);
}

/** Reads the text of a checkpoint by its SHA-256, as a leaf of the heads log names it. @throws AppError `NOT_FOUND` */
export async function readHead(platform: Platform, logId: string, digest: string): Promise<string> {
  const { _id, organizationId, origin } = await loadLog(platform, logId);
  if (!DIGEST.test(digest)) throw new AppError('NOT_FOUND');
  const data = Buffer.concat([hash('sha256', origin, 'buffer'), Buffer.from(digest, 'hex')]);
  const leaf = await platform.models.headsLeaves.findOne({ data }).lean<HeadsLeafDocument>();
  const head =
    leaf &&
    (await platform.models.logHeads
      .findOne({ _id: leaf.headId, organizationId, logId: _id })
      .lean<LogHeadDocument>());
  const text = head && parseNote(head.note)?.text;
  // A stored checkpoint that is not the one of the leaf is no answer.
  if (!text || hash('sha256', text) !== digest) throw new AppError('NOT_FOUND');
  return text;
}

/** Reads a tile or an entry bundle by the segments of its path. @throws AppError `NOT_FOUND` */
export async function readTile(
  platform: Platform,
  logId: string,
  segments: readonly string[],
): Promise<PublishedTile> {
  const request = parseTilePath(segments);
  const bytes = request && (await readTileBytes(platform, await loadLog(platform, logId), request));
  if (!bytes) throw new AppError('NOT_FOUND');
  return { bytes, isFull: request.width === TILE_WIDTH };
}

/** Describes the installation to those who verify its logs. */
export async function describeLogs(platform: Platform): Promise<LogDescription> {
  const { host } = await loadNoteSigner(platform, 'log');
  const heads = await findCheckedHeadsLog(platform);
  const listKeys = async (purpose: 'log' | 'promise', name: string) =>
    (await listVerifierKeys(platform, purpose, name)).map(formatVerifierKey);
  return {
    host,
    heads: await listKeys('log', heads?.origin ?? `${host}/log/heads`),
    promises: await listKeys('promise', `${host}/promise`),
    logKeys: (await listVerifierKeys(platform, 'log', host)).map(({ publicKey }) =>
      publicKey.toString('base64'),
    ),
    maximumMergeDelaySeconds: platform.config.ASSAY_LOG_MMD_SECONDS,
    witness: platform.config.ASSAY_COSIGN_LOGS ? await showWitnessKey(platform, host) : null,
    witnessPolicy: platform.config.ASSAY_WITNESS_POLICY?.text ?? null,
    hasTimeStamps: platform.config.ASSAY_TSA_URL.length > 0,
    endpoints: ENDPOINTS,
  };
}

/** @throws AppError `NOT_FOUND` */
async function loadLog(platform: Platform, logId: string): Promise<LogDocument> {
  const log =
    isPublic(platform) && LOG_ID.test(logId) ? await findCheckedLogById(platform, logId) : null;
  if (!log?.headId) throw new AppError('NOT_FOUND');
  return log;
}

async function showWitnessKey(platform: Platform, host: string): Promise<string | null> {
  const [key] = await listVerifierKeys(platform, 'witness', `${host}/witness`);
  return key ? formatVerifierKey({ ...key, type: WITNESS_KEY }) : null;
}
