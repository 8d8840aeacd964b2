// The collection as the appender sees it: what can be asked of it, and every way an insert can end (ledger.md, appending, 5).
import type { Types } from 'mongoose';
import type { Stored } from '../entry.ts';

/** The unique indexes that decide races. `own`: a document with this `_id` is there already. */
export type Race = 'own' | 'chain' | 'once' | 'following';

/** Known to be in part: everything before `at` is in and acknowledged by a majority, `at` and what follows is not. */
export type Stop =
  | { kind: 'duplicate'; at: number; race: Race }
  | { kind: 'rejected'; at: number; documentAtFault: boolean; cause: unknown };

/** How an ordered insert ended. `unknown`: any prefix may be in, now or later, and may be rolled back. */
export type InsertOutcome = { kind: 'ok' } | { kind: 'unknown'; cause: unknown } | Stop;

/** What the next entry is built on. */
export interface Head {
  sequence: number;
  chainHash: string;
  createdAt: Date;
  usage: { month: string; count: number };
}

/** Reads are majority reads; they reject when the database cannot be asked. Inserting never rejects. */
export interface LedgerStore {
  /** One ordered insert, acknowledged by a majority's journals. */
  insertOrdered(documents: readonly Stored[]): Promise<InsertOutcome>;
  newest(organizationId: Types.ObjectId): Promise<Head | null>;
  at(
    organizationId: Types.ObjectId,
    sequence: number,
  ): Promise<Pick<Stored, '_id' | 'chainHash'> | null>;
  byIdempotencyKey(
    organizationId: Types.ObjectId,
    once: readonly (Buffer | string)[],
  ): Promise<Stored[]>;
  byIds(organizationId: Types.ObjectId, ids: readonly Types.ObjectId[]): Promise<Stored[]>;
  /** Takes the `once` from an entry made before `before`, so that it can be used again. */
  releaseIdempotencyKey(entry: Stored, before: Date): Promise<void>;
}
