// What is appended to a chain and what comes back: the vocabulary of the ledger (ledger.md, formats.md).
import type { Types } from 'mongoose';
import type { Position } from '../domain/record/chain.ts';
import type { Percentiles } from './append/latency.ts';

/** Kinds of the decision ledger; the audit chain holds only `audit`. */
export type EntryKind =
  'trace' | 'correction' | 'review' | 'status' | 'compliance' | 'erasure' | 'audit';

export type { Position };

/** Everything that can be done before sealing is done: what queues cannot poison a batch. */
export interface Draft {
  /** 24 hex digits. */
  organizationId: string;
  kind: EntryKind;
  traceId: string | null;
  /** Later facts only: the sequence of the newest earlier entry about that trace (compare-and-set); absent on ingestion. */
  after?: number | null;
  /** The JCS text that is digested and stored. */
  view: string;
  /** hex SHA-256 of `view`. */
  payloadDigest: string;
  /** Further members of the stored document; none of the names of `Sealed`. */
  fields: Readonly<Record<string, unknown>>;
  /** What makes a repetition recognisable: 16 bytes of the idempotency key, or an audit id. Null: cannot be repeated. */
  once: Buffer | string | null;
  /** Entries of kind `trace` beyond this many in a calendar month (UTC) are refused; null: unlimited. */
  monthlyLimit: number | null;
}

/** What sealing adds, together with what it copies from the draft. */
export interface Sealed {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  sequence: number;
  kind: EntryKind;
  traceId: string | null;
  after?: number | null;
  prevHash: string;
  payloadDigest: string;
  chainHash: string;
  createdAt: Date;
  view: string;
  /** Ordinal of the newest decision in its month, for the usage gate: `month` is `YYYY-MM`. */
  usage: { month: string; count: number };
}

/** A stored document: the sealed members and whatever the draft's `fields` held. */
export type Stored = Sealed & Record<string, unknown>;

/** `sealed`: newly appended. `repeated`: an entry with the same `once` was there. `superseded`: somebody else changed the decision first. */
export type Outcome =
  { kind: 'sealed'; entry: Stored } | { kind: 'repeated'; entry: Stored } | { kind: 'superseded' };

/** The one way into a chain. */
export interface Appender {
  /**
   * Appends one entry and resolves when it is durable on a majority.
   * @throws AppError `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE` (queue full, quarantine, outcome unknown within `deadlineMs`), `VALIDATION_ERROR` (the database refused this document)
   */
  append(draft: Draft, deadlineMs?: number): Promise<Outcome>;
  /** The entry that a repeated append would be answered with, by a majority read; null: the `once` is free. */
  find(organizationId: string, once: Buffer | string): Promise<Stored | null>;
  /** Lets go of what this process remembers of an entry that is being erased. */
  forget(organizationId: string, once: Buffer | string): void;
  /** The trusted head of an organisation's chain; null when empty. */
  head(organizationId: string): Promise<Position | null>;
  /** How long the newest appends of an organisation took, in this process; null when there were none. */
  latency(organizationId: string): Percentiles | null;
  /** Waits until nothing is in flight and writes the head rows; later appends are refused. */
  close(): Promise<void>;
}
