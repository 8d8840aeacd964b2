// The public parts of a log: its newest checkpoint, its tiles (c2sp.org/tlog-tiles), and the installation's keys.
import { hash } from 'node:crypto';
import { formatVerifierKey, parseNote, WITNESS_KEY, parseTilePath, TILE_WIDTH } from '@assay/tlog';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import type { LogKeyService } from './keys/log-keys.service.ts';
import type { HeadsLeafDocument, LogHeadDocument } from './log-heads.model.ts';
import type { LogDocument } from './logs.model.ts';
import type { LogService } from './logs.service.ts';
import { formatCosignedNote } from './tree/anchors.view.ts';
import type { LogTreeService } from './tree/log-tree.service.ts';

interface Deps {
  keys: LogKeyService;
  logs: LogService;
  tree: LogTreeService;
}

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

export function createLogPublicationService(
  { models, config }: Pick<Platform, 'models' | 'config'>,
  { keys, logs, tree }: Deps,
) {
  const isPublic = config.ASSAY_LOG === 'on' && config.ASSAY_LOG_PUBLIC === 'on';

  /** @throws AppError `NOT_FOUND` */
  async function loadLog(logId: string): Promise<LogDocument> {
    const log = isPublic && LOG_ID.test(logId) ? await logs.findLogById(logId) : null;
    if (!log?.headId) throw new AppError('NOT_FOUND');
    return log;
  }

  async function showWitnessKey(host: string): Promise<string | null> {
    const [key] = await keys.listVerifierKeys('witness', `${host}/witness`);
    return key ? formatVerifierKey({ ...key, type: WITNESS_KEY }) : null;
  }

  return {
    /** Reads the newest checkpoint with all its signatures. @throws AppError `NOT_FOUND` */
    async readCheckpoint(logId: string): Promise<string> {
      const { headId, organizationId } = await loadLog(logId);
      const head = await models.logHeads
        .findOne({ _id: headId, organizationId })
        .lean<LogHeadDocument>();
      if (!head) throw new AppError('NOT_FOUND');
      return formatCosignedNote(head);
    },

    /** Reads the text of a checkpoint by its SHA-256, as a leaf of the heads log names it. @throws AppError `NOT_FOUND` */
    async readHead(logId: string, digest: string): Promise<string> {
      const { _id, organizationId, origin } = await loadLog(logId);
      if (!DIGEST.test(digest)) throw new AppError('NOT_FOUND');
      const data = Buffer.concat([hash('sha256', origin, 'buffer'), Buffer.from(digest, 'hex')]);
      const leaf = await models.headsLeaves.findOne({ data }).lean<HeadsLeafDocument>();
      const head =
        leaf &&
        (await models.logHeads
          .findOne({ _id: leaf.headId, organizationId, logId: _id })
          .lean<LogHeadDocument>());
      const text = head && parseNote(head.note)?.text;
      // A stored checkpoint that is not the one of the leaf is no answer.
      if (!text || hash('sha256', text) !== digest) throw new AppError('NOT_FOUND');
      return text;
    },

    /** Reads a tile or an entry bundle by the segments of its path. @throws AppError `NOT_FOUND` */
    async readTile(logId: string, segments: readonly string[]): Promise<PublishedTile> {
      const request = parseTilePath(segments);
      const bytes = request && (await tree.readBytes(await loadLog(logId), request));
      if (!bytes) throw new AppError('NOT_FOUND');
      return { bytes, isFull: request.width === TILE_WIDTH };
    },

    /** Describes the installation to those who verify its logs. */
    async describeLogs(): Promise<LogDescription> {
      const { host } = await keys.loadSigner('log');
      const heads = await logs.findHeadsLog();
      const listKeys = async (purpose: 'log' | 'promise', name: string) =>
        (await keys.listVerifierKeys(purpose, name)).map(formatVerifierKey);
      return {
        host,
        heads: await listKeys('log', heads?.origin ?? `${host}/log/heads`),
        promises: await listKeys('promise', `${host}/promise`),
        logKeys: (await keys.listVerifierKeys('log', host)).map(({ publicKey }) =>
          publicKey.toString('base64'),
        ),
        maximumMergeDelaySeconds: config.ASSAY_LOG_MMD_SECONDS,
        witness: config.ASSAY_COSIGN_LOGS ? await showWitnessKey(host) : null,
        witnessPolicy: config.ASSAY_WITNESS_POLICY?.text ?? null,
        hasTimeStamps: config.ASSAY_TSA_URL.length > 0,
        endpoints: ENDPOINTS,
      };
    },
  };
}
export type LogPublicationService = ReturnType<typeof createLogPublicationService>;
