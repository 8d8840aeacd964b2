// The collection as the appender sees it: its reads, and every way an insert can end (ledger.md, appending, 5).
import type { Types } from 'mongoose';
import type { Stored } from '../entry.ts';

/** The unique index that a document conflicts with. `_id`: this very document is there already. */
export type ConflictIndex = '_id' | 'chain' | 'idempotency' | 'following';

/** Known to be in part: everything before `at` is in and acknowledged by a majority, `at` and what follows is not. */
export type InsertFailure =
  | { kind: 'conflict'; at: number; index: ConflictIndex }
  | { kind: 'rejected'; at: number; documentAtFault: boolean; cause: unknown };

/** How an ordered insert ended. `unknown`: any prefix may be in, now or later, and may be rolled back. */
export type InsertOutcome = { kind: 'ok' } | { kind: 'unknown'; cause: unknown } | InsertFailure;

/** What the next entry is built on. */
export interface Head {
  sequence: number;
  chainHash: string;
  createdAt: Date;
  usage: { month: string; count: number };
}

/** Reads are majority reads; they reject when the database is unavailable. Inserting never rejects. */
export interface LedgerStore {
  /** One ordered insert, acknowledged by a majority's journals. */
  insertOrdered(documents: readonly Stored[]): Promise<InsertOutcome>;
  newest(organizationId: Types.ObjectId): Promise<Head | null>;
  at(
    organizationId: Types.ObjectId,
    sequence: number,
  ): Promise<Pick<Stored, '_id' | 'chainHash'> | null>;
  /** Of each entry the members that answer a replay. */
  byIdempotencyKey(
    organizationId: Types.ObjectId,
    idempotencyKeys: readonly (Buffer | string)[],
  ): Promise<Stored[]>;
  byIds(organizationId: Types.ObjectId, ids: readonly Types.ObjectId[]): Promise<Stored[]>;
  /** Removes the idempotency key from an entry made before `before`, so that it can be used again. */
  releaseIdempotencyKey(entry: Stored, before: Date): Promise<void>;
}
