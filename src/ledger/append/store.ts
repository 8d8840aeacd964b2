// The storage contract of the appender: its reads, and every outcome of an insert (ledger.md, appending, 5).
import type { Types } from 'mongoose';
import type { HaltEntry } from '../../domain/halt/halt.ts';
import type { Stored } from '../entry.ts';
import type { RegisterRow } from '../registers/register-reader.ts';

/** The unique index that a document conflicts with. `_id`: this very document is stored already. */
export type ConflictIndex = '_id' | 'chain' | 'idempotency' | 'following';

/** A known failure: a majority has acknowledged every document before `at`; `at` and the following are not stored. */
export type InsertFailure =
  | { kind: 'conflict'; at: number; index: ConflictIndex }
  | { kind: 'rejected'; at: number; documentAtFault: boolean; cause: unknown };

/** Outcome of an ordered insert. `unknown`: any prefix may be in, now or later, and may be rolled back. */
export type InsertOutcome = { kind: 'ok' } | { kind: 'unknown'; cause: unknown } | InsertFailure;

/** The newest entry of a chain: what the next one links to. */
export interface Head {
  sequence: number;
  chainHash: string;
  createdAt: Date;
  usage: { month: string; count: number };
  /** The sequence of the newest halt entry; absent: there is none. */
  control?: number;
}

/** Reads MUST be majority reads; they reject when the database is unavailable. `insertOrdered` MUST NOT reject. */
export interface LedgerStore {
  /** Inserts documents in order. `ok` MUST mean that they are in the journals of a majority. */
  insertOrdered(documents: readonly Stored[]): Promise<InsertOutcome>;
  /** Reads the newest entry; null when the chain is empty. */
  readNewest(organizationId: Types.ObjectId): Promise<Head | null>;
  /** Reads the halt entries after one sequence and up to another, in order. */
  readHalts(
    organizationId: Types.ObjectId,
    range: { after: number; upTo: number },
  ): Promise<HaltEntry[]>;
  /** Reads registers as of the entry at `head`; null while that entry is not shown. A key that no entry has is missing. */
  readRegisters(
    organizationId: Types.ObjectId,
    wanted: { register: 'spent' | 'session'; keys: readonly string[] },
    head: number,
  ): Promise<ReadonlyMap<string, RegisterRow> | null>;
  /** Finds the entry at a sequence; null when there is none. */
  findAtSequence(
    organizationId: Types.ObjectId,
    sequence: number,
  ): Promise<Pick<Stored, '_id' | 'chainHash'> | null>;
  /** Finds the entries that hold these keys, with the members that answer a replay. */
  findByIdempotencyKey(
    organizationId: Types.ObjectId,
    idempotencyKeys: readonly (Buffer | string)[],
  ): Promise<Stored[]>;
  /** Finds the entries with these ids, whole, in order of sequence. */
  findByIds(organizationId: Types.ObjectId, ids: readonly Types.ObjectId[]): Promise<Stored[]>;
  /** Removes the idempotency key from an entry older than `before`, so that it can be used again. */
  releaseIdempotencyKey(entry: Stored, before: Date): Promise<void>;
}
