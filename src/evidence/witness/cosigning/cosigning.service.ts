// Assay as a witness of other logs (c2sp.org/tlog-witness): signs a checkpoint that continues the one it signed before.
import { hash } from 'node:crypto';
import {
  writeCosignature,
  decideCosigning,
  parseCosignRequest,
  type ReceivedCheckpoint,
  computeEmptyRoot,
  type TreeHead,
  WITNESS_KEY,
} from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import { loadNoteSigner } from '../../log/keys/log-keys.service.ts';
import type { WitnessedLogDocument } from './witnessed-logs.model.ts';

/** An answer in the protocol of witnesses: signature lines, the size that is known, or why it is not signed. */
export interface WitnessReply {
  status: 200 | 409 | 422;
  type: string;
  body: string;
}

const TEXT = 'text/plain; charset=utf-8';
const SIZE = 'text/x.tlog.size';
/** Further looks after another request for the same log was first. */
const RETRIES = 3;

/** The logs that the operator has named, with their keys. */
const getKnownLogs = ({ config }: Platform) => config.ASSAY_COSIGN_LOGS ?? new Map<string, never>();

/**
 * Answers a log that asks for a signature (`add-checkpoint`).
 * @throws AppError `VALIDATION_ERROR`, `FORBIDDEN`, `NOT_FOUND` for a log that the operator has not named
 */
export async function addCheckpoint(platform: Platform, body: Buffer): Promise<WitnessReply> {
  const request = parseCosignRequest(body.toString('utf8'));
  if (!request) throw new AppError('VALIDATION_ERROR', 'The body is no request of tlog-witness');
  const { origin, size } = request.checkpoint;
  const logKeys = getKnownLogs(platform).get(origin);
  if (!logKeys) throw new AppError('NOT_FOUND', 'This witness does not know the log');
  for (let tries = 0; tries <= RETRIES; tries++) {
    const answer = await answerOnce(platform, request, logKeys);
    if (answer) {
      platform.metrics.cosigned.inc({ status: String(answer.status) });
      return answer;
    }
  }
  throw new AppError('CONFLICT', `Other checkpoints than that of size ${size} were first`);
}

/** Reads what was signed last of a log, by the SHA-256 of its origin in hex. @throws AppError `NOT_FOUND` */
export async function readWitnessed(platform: Platform, originHash: string): Promise<string> {
  const origin = [...getKnownLogs(platform).keys()].find(
    (one) => hash('sha256', one) === originHash,
  );
  const state = origin === undefined ? null : await findState(platform, origin);
  if (!state) throw new AppError('NOT_FOUND');
  return state.note + state.line;
}

const findState = ({ models }: Platform, origin: string): Promise<WitnessedLogDocument | null> =>
  models.witnessedLogs.findOne({ _id: origin }).lean<WitnessedLogDocument>();

/** Replaces what was signed last; false when it is no longer that. */
async function storeState(
  { models }: Platform,
  row: WitnessedLogDocument,
  before: TreeHead,
): Promise<boolean> {
  const { _id, ...state } = row;
  if (before.size > 0) {
    const root = Buffer.from(before.root).toString('hex');
    const { matchedCount } = await models.witnessedLogs.updateOne(
      { _id, size: before.size, root },
      { $set: state },
    );
    return matchedCount === 1;
  }
  try {
    // An empty tree may be signed before others.
    await models.witnessedLogs.updateOne({ _id, size: 0 }, { $set: state }, { upsert: true });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
}

/** Signs, and stores before anybody sees the signature; null when another request was first. */
async function signCheckpoint(
  platform: Platform,
  { note, text, checkpoint }: ReceivedCheckpoint,
  before: TreeHead,
): Promise<string | null> {
  const { origin, size, root } = checkpoint;
  const { host, publicKey, sign } = await loadNoteSigner(platform, 'witness');
  const key = { name: `${host}/witness`, type: WITNESS_KEY, publicKey };
  const at = platform.clock.now();
  const line = await writeCosignature(note.text, { key, at }, sign);
  const row = { _id: origin, size, root: root.toString('hex'), note: text, line, at };
  return (await storeState(platform, row, before)) ? line : null;
}

/** The tree that was signed last of a log; the empty one before the first. */
async function findSigned(platform: Platform, origin: string): Promise<TreeHead> {
  const state = await findState(platform, origin);
  return state
    ? { size: state.size, root: Buffer.from(state.root, 'hex') }
    : { size: 0, root: computeEmptyRoot() };
}

/** Null: another request was first. @throws AppError `VALIDATION_ERROR`, `FORBIDDEN` */
async function answerOnce(
  platform: Platform,
  request: ReceivedCheckpoint,
  logKeys: Parameters<typeof decideCosigning>[2],
): Promise<WitnessReply | null> {
  const { origin } = request.checkpoint;
  const before = await findSigned(platform, origin);
  const verdict = decideCosigning(request, before, logKeys);
  if (verdict.kind === 'conflict') return { status: 409, type: SIZE, body: `${verdict.size}\n` };
  if (verdict.kind === 'refuse') {
    if (verdict.status === 403) throw new AppError('FORBIDDEN', verdict.why);
    if (verdict.status === 400) throw new AppError('VALIDATION_ERROR', verdict.why);
    platform.logger.error(
      { origin, checkpoint: request.text },
      'a log shows another tree than before',
    );
    return { status: 422, type: TEXT, body: `${verdict.why}\n` };
  }
  const line = await signCheckpoint(platform, request, before);
  return line === null ? null : { status: 200, type: TEXT, body: line };
}
