// The ledger's store over a native collection: whole documents in, outcomes told apart, majority reads.
import type { mongo, Types } from 'mongoose';
import type { Chain } from '../chains.ts';
import { MAJORITY } from '../read-write-concerns.ts';
import type { Stored } from '../entry.ts';
import { releaseIdempotencyKey } from '../amend/fold.ts';
import type { Head, InsertOutcome, LedgerStore, Race } from './store.ts';
import { type Timer, within } from '../timer.ts';

/** Longer than an election takes; a write that has not answered by then may still land, and is asked about again. */
const INSERT_TIMEOUT_MS = 10_000;
const WRITE_CONCERN = { w: 'majority', j: true, wtimeout: INSERT_TIMEOUT_MS } as const;
const HEAD = { _id: 0, sequence: 1, chainHash: 1, createdAt: 1, usage: 1 } as const;

const DUPLICATE_KEY = 11000;
/** The server's state, not the document: not primary, interrupted, shutting down, out of time, conflicts, no space, no rights. */
const STATE_CODES = new Set([
  6, 7, 13, 24, 43, 50, 89, 91, 112, 133, 189, 262, 9001, 10058, 10107, 11600, 11601, 11602, 13435,
  13436, 14031,
]);
/** The document cannot be stored: malformed, too large, cannot be indexed, fails validation. */
const DOCUMENT_CODES = new Set([
  2, 9, 14, 15, 22, 52, 53, 56, 57, 121, 171, 10334, 16755, 17261, 17262, 17280,
]);

interface WriteError {
  index: number;
  code: number;
  errmsg: string;
}

interface InsertReply {
  writeErrors?: WriteError[];
}

type Filter = { organizationId: Types.ObjectId } & Record<string, unknown>;

export interface MongoStoreParts {
  db: mongo.Db;
  chain: Chain;
  timer: Timer;
}

function raceOf(errmsg: string, chain: Chain): Race | null {
  const index = /index: (\S+) dup key/.exec(errmsg)?.[1];
  if (index === '_id_') return 'own';
  if (index === chain.onceIndex) return 'once';
  return index === 'chain' || index === 'following' ? index : null;
}

function classify(error: WriteError, chain: Chain): InsertOutcome {
  if (STATE_CODES.has(error.code)) return { kind: 'unknown', cause: error };
  const race = error.code === DUPLICATE_KEY ? raceOf(error.errmsg, chain) : null;
  if (race) return { kind: 'duplicate', at: error.index, race };
  return {
    kind: 'rejected',
    at: error.index,
    documentAtFault: DOCUMENT_CODES.has(error.code),
    cause: error,
  };
}

/**
 * Refused as a whole for what is in it, by the driver's encoder or by the server's parser: sending the same again would be
 * refused for ever. Should a server refuse half-way, the `_id`s of what is in say so on the next attempt.
 */
function isRefusal(error: unknown): boolean {
  const { name, code } = error as { name: string; code?: unknown };
  if (name === 'MongoServerError') return !STATE_CODES.has(code as number);
  return isEncoding(name);
}

function isEncoding(name: string): boolean {
  return name.startsWith('BSON') || name === 'RangeError' || name === 'TypeError';
}

function isDocumentAtFault(error: unknown): boolean {
  const { name, code } = error as { name: string; code?: unknown };
  return isEncoding(name) || DOCUMENT_CODES.has(code as number);
}

/**
 * The store of one chain. A plain `insert` command rather than `insertMany`: the reply names write errors and a
 * write-concern error apart, and no transaction number is kept for a retry that the appender does better.
 */
export function createMongoStore({ db, chain, timer }: MongoStoreParts): LedgerStore {
  const collection = db.collection<Stored>(chain.collection);

  async function send(documents: readonly Stored[]): Promise<InsertOutcome> {
    const command = {
      insert: chain.collection,
      documents,
      ordered: true,
      writeConcern: WRITE_CONCERN,
    };
    const reply = (await db.command(command, { ignoreUndefined: true })) as InsertReply;
    const error = reply.writeErrors?.[0];
    return error ? classify(error, chain) : { kind: 'ok' };
  }

  async function oneByOne(documents: readonly Stored[]): Promise<InsertOutcome> {
    for (const [at, document] of documents.entries()) {
      const outcome = await insertOrdered([document]);
      if (outcome.kind === 'unknown') return outcome;
      if (outcome.kind !== 'ok') return { ...outcome, at };
    }
    return { kind: 'ok' };
  }

  async function insertOrdered(documents: readonly Stored[]): Promise<InsertOutcome> {
    try {
      const late = (): InsertOutcome => ({
        kind: 'unknown',
        cause: new Error('no answer to an insert'),
      });
      return await within(timer, INSERT_TIMEOUT_MS, { work: send(documents), late });
    } catch (cause) {
      if (!isRefusal(cause)) return { kind: 'unknown', cause };
      if (documents.length > 1) return oneByOne(documents);
      return { kind: 'rejected', at: 0, documentAtFault: isDocumentAtFault(cause), cause };
    }
  }

  return {
    insertOrdered,
    newest: (organizationId) =>
      collection.findOne<Head>(
        { organizationId },
        { ...MAJORITY, projection: HEAD, sort: { sequence: -1 } },
      ),
    at: (organizationId, sequence) =>
      collection.findOne(
        { organizationId, sequence },
        { ...MAJORITY, projection: { chainHash: 1 } },
      ),
    byIdempotencyKey: (organizationId, once) =>
      find({ organizationId, [chain.idempotencyField]: { $in: once } }, chain.onceIndex),
    byIds: (organizationId, ids) => find({ organizationId, _id: { $in: ids } }, '_id_'),
    releaseIdempotencyKey: (entry, before) =>
      releaseIdempotencyKey({ collection, chain, entry, before }),
  };

  /** By sequence. The index is named, or the sort would tempt the planner to read the whole chain. */
  async function find(filter: Filter, hint: string): Promise<Stored[]> {
    const found = collection.find(filter as mongo.Filter<Stored>, { ...MAJORITY, hint });
    return (await found.sort({ sequence: 1 }).toArray()) as Stored[];
  }
}
