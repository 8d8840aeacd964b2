// The ledger store on MongoDB: inserts whole documents, classifies outcomes, reads from a majority.
import type { mongo, Types } from 'mongoose';
import { type Chain, isSequence, SEQUENCES } from '../chains.ts';
import { DURABLE, MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import type { Contents } from '../contents/contents.ts';
import { readHalts } from '../halts/halt-entries.ts';
import { readRegisters } from '../registers/register-reader.ts';
import { releaseIdempotencyKey } from '../entry-updates.ts';
import type { Head, InsertOutcome, LedgerStore, ConflictIndex } from './store.ts';
import { type Timer, awaitWithin } from '../../platform/concurrency/timer.ts';

/** Longer than an election takes. A write without an answer by then may still be applied, and is sent again. */
const INSERT_TIMEOUT_MS = 10_000;
const WRITE_CONCERN = { ...DURABLE.writeConcern, wtimeout: INSERT_TIMEOUT_MS } as const;
const HEAD = { _id: 0, sequence: 1, chainHash: 1, createdAt: 1, usage: 1, control: 1 } as const;

const DUPLICATE_KEY = 11000;
/** Errors of the server's state: not primary, interrupted, shutting down, timed out, conflict, no space, no rights. */
const STATE_CODES = new Set([
  6, 7, 13, 24, 43, 50, 89, 91, 112, 133, 189, 262, 9001, 10058, 10107, 11600, 11601, 11602, 13435,
  13436, 14031,
]);
/** Errors of the document: malformed, too large, not indexable, fails validation. */
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

export interface MongoStoreDeps {
  db: mongo.Db;
  chain: Chain;
  timer: Timer;
  /** Absent: contents are stored as they are. */
  contents?: Contents;
}

function parseConflictIndex(errmsg: string, chain: Chain): ConflictIndex | null {
  const index = /index: (\S+) dup key/.exec(errmsg)?.[1];
  if (index === '_id_') return '_id';
  if (index === chain.idempotencyIndex) return 'idempotency';
  return index === 'chain' || index === 'following' ? index : null;
}

function toInsertOutcome(error: WriteError, chain: Chain): InsertOutcome {
  if (STATE_CODES.has(error.code)) return { kind: 'unknown', cause: error };
  const index = error.code === DUPLICATE_KEY ? parseConflictIndex(error.errmsg, chain) : null;
  if (index) return { kind: 'conflict', at: error.index, index };
  return {
    kind: 'rejected',
    at: error.index,
    documentAtFault: DOCUMENT_CODES.has(error.code),
    cause: error,
  };
}

/**
 * Returns whether the whole command was rejected for its content, by the driver's encoder or the server's parser:
 * sending it again is futile. If a server rejects it half-way, `_id` conflicts show on the next attempt what is stored.
 */
function isRejection(error: unknown): boolean {
  const { name, code } = error as { name: string; code?: unknown };
  if (name === 'MongoServerError') return !STATE_CODES.has(code as number);
  return isEncodingError(name);
}

function isEncodingError(name: string): boolean {
  return name.startsWith('BSON') || name === 'RangeError' || name === 'TypeError';
}

function isDocumentAtFault(error: unknown): boolean {
  const { name, code } = error as { name: string; code?: unknown };
  return isEncodingError(name) || DOCUMENT_CODES.has(code as number);
}

/**
 * Creates the store of one chain. It uses a plain `insert` command rather than `insertMany`: the reply separates write
 * errors from a write-concern error, and the driver does not retry, which the appender does itself.
 */
export function createMongoStore({ db, chain, timer, contents }: MongoStoreDeps): LedgerStore {
  const collection = db.collection<Stored>(chain.collection);
  const replayed = Object.fromEntries(chain.replayed.map((path) => [path, 1]));

  async function sendInsert(documents: readonly Stored[]): Promise<InsertOutcome> {
    const command = {
      insert: chain.collection,
      documents,
      ordered: true,
      writeConcern: WRITE_CONCERN,
    };
    const reply = (await db.command(command, { ignoreUndefined: true })) as InsertReply;
    const error = reply.writeErrors?.[0];
    return error ? toInsertOutcome(error, chain) : { kind: 'ok' };
  }

  async function insertOneByOne(documents: readonly Stored[]): Promise<InsertOutcome> {
    for (const [at, document] of documents.entries()) {
      const outcome = await insertOrdered([document]);
      if (outcome.kind === 'unknown') return outcome;
      if (outcome.kind !== 'ok') return { ...outcome, at };
    }
    return { kind: 'ok' };
  }

  async function insertOrdered(documents: readonly Stored[]): Promise<InsertOutcome> {
    try {
      const reportTimeout = (): InsertOutcome => ({
        kind: 'unknown',
        cause: new Error('insert timed out'),
      });
      return await awaitWithin(timer, INSERT_TIMEOUT_MS, {
        work: sendInsert(documents),
        onTimeout: reportTimeout,
      });
    } catch (cause) {
      if (!isRejection(cause)) return { kind: 'unknown', cause };
      if (documents.length > 1) return insertOneByOne(documents);
      return { kind: 'rejected', at: 0, documentAtFault: isDocumentAtFault(cause), cause };
    }
  }

  return {
    insertOrdered,
    async readNewest(organizationId) {
      const filter = { organizationId, sequence: SEQUENCES };
      const options = { ...MAJORITY, projection: HEAD, sort: { sequence: -1 } } as const;
      const newest = await collection.findOne<Head>(filter, options);
      if (!newest || isSequence(newest.sequence)) return newest;
      for await (const head of collection.find<Head>(filter, options))
        if (isSequence(head.sequence)) return head;
      return null;
    },
    readHalts: (organizationId, range) => readHalts(collection, organizationId, range),
    readRegisters: (organizationId, wanted, head) =>
      readRegisters(collection, { organizationId, head }, wanted),
    findAtSequence: (organizationId, sequence) =>
      collection.findOne(
        { organizationId, sequence },
        { ...MAJORITY, projection: { chainHash: 1 } },
      ),
    async findByIdempotencyKey(organizationId, keys) {
      const found = await findEntries(
        { organizationId, [chain.idempotencyField]: { $in: keys } },
        { hint: chain.idempotencyIndex, projection: replayed },
      );
      return contents ? contents.decryptDocuments(organizationId.toHexString(), found) : found;
    },
    findByIds: (organizationId, ids) =>
      findEntries({ organizationId, _id: { $in: ids } }, { hint: '_id_' }),
    releaseIdempotencyKey: (entry, before) =>
      releaseIdempotencyKey(collection, chain, { entry, before }),
  };

  /** Finds entries in order of sequence. The hint keeps the planner from reading the whole chain for the sort. */
  async function findEntries(filter: Filter, options: mongo.FindOptions): Promise<Stored[]> {
    const found = collection.find(filter as mongo.Filter<Stored>, { ...MAJORITY, ...options });
    return (await found.sort({ sequence: 1 }).toArray()) as Stored[];
  }
}
