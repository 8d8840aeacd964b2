// What is appended to a chain and what comes back: the vocabulary of the ledger (ledger.md, formats.md).
import type { Types } from 'mongoose';
import type { Position } from '../domain/record/chain.ts';
import type { AttestationKind } from '../domain/record/payload-members.ts';
import type { SealedValue } from '../domain/record/commitments.ts';
import type { Percentiles } from './append/latency.ts';

/** Kinds of the decision ledger; the audit chain holds only `audit`. */
export type EntryKind =
  | 'trace'
  | 'correction'
  | 'review'
  | 'status'
  | 'erasure'
  | AttestationKind
  | 'audit';

export type { Position };

/** An entry before it is sealed: everything that can be done before is done, so that it cannot fail the batch. `T`: the document it becomes. */
export interface Draft<T extends Sealed = Stored> {
  /** 24 hex digits. */
  organizationId: string;
  kind: EntryKind;
  traceId: string | null;
  /** Of an amendment: the sequence of the newest earlier entry about that trace (compare-and-set); absent on ingestion. */
  after?: number | null;
  /** The canonical payload: the text that is digested and stored. */
  payload: string;
  /** hex SHA-256 of `payload`. */
  payloadDigest: string;
  /** The members of the document besides the sealed ones. */
  fields: Readonly<Omit<T, keyof Sealed>>;
  /** Identifies replays of the same request: 16 bytes, or an audit id. Null: cannot be replayed. */
  idempotencyKey: Buffer | string | null;
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
  /** The canonical payload. */
  view: string;
  /** The number of decisions in a month (`YYYY-MM`) up to this entry, for the usage limit. */
  usage: { month: string; count: number };
}

/** A stored document of any kind: the sealed members and the draft's `fields`. */
export type Stored = Sealed & Record<string, unknown>;

/** Committed values with their seeds, by name; null or absent when erased or never stored. Of an entry whose contents are opened. */
export type SealedValues = Readonly<Record<string, SealedValue | null | undefined>>;

/** The committed values that an entry stores. */
export function sealedOf({ sealed }: Stored): SealedValues {
  return typeof sealed === 'object' && sealed !== null ? (sealed as SealedValues) : {};
}

/** `sealed`: newly appended. `repeated`: an entry with the same idempotency key was there, of which the chain's `replayed` members are given. `superseded`: another amendment of the decision came first. */
export type Outcome<T extends Sealed = Stored> =
  | { kind: 'sealed'; entry: T }
  | { kind: 'repeated'; entry: T }
  | { kind: 'superseded' };

/** The one way into a chain. `T`: the documents that have an idempotency key. */
export interface Appender<T extends Sealed = Stored> {
  /**
   * Appends one entry and resolves when it is durable on a majority.
   * @throws AppError `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE` (queue full, quarantine, outcome unknown within `deadlineMs`), `VALIDATION_ERROR` (the database rejected this document)
   */
  append<D extends Sealed = T>(draft: Draft<D>, deadlineMs?: number): Promise<Outcome<D>>;
  /** The `replayed` members of the entry that answers a replay, by a majority read; null: the idempotency key is free. */
  find(organizationId: string, idempotencyKey: Buffer | string): Promise<T | null>;
  /** Drops the cached entry with this key, because it is being erased. */
  forget(organizationId: string, idempotencyKey: Buffer | string): void;
  /** The head of an organisation's chain, by a majority read; null when it is empty. */
  head(organizationId: string): Promise<Position | null>;
  /** Latencies of an organisation's newest appends in this process; null when there were none. */
  latency(organizationId: string): Percentiles | null;
  /** Waits until the queues are empty and writes the noted heads; later appends are refused. */
  close(): Promise<void>;
}
