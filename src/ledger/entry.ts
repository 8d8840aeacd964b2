// Types of the ledger: drafts, sealed entries, outcomes and the appender (ledger.md, formats.md).
import type { Types } from 'mongoose';
import type { EntryPromise } from '@assay/tlog';
import type { DecisionLimit, WindowSlot, Spending, Spent } from '../domain/budgets/spending.ts';
import type { GrantUse } from '../domain/grants/grant-use.ts';
import type { SessionDraft, SessionRegister } from '../domain/sessions/session-register.ts';
import type { Act, Halt } from '../domain/halt/halt.ts';
import type { Position } from '../domain/record/chain.ts';
import type { AttestationKind } from '../domain/record/payload-members.ts';
import type { CommittedValue } from '../domain/record/commitments.ts';
import type { Percentiles } from './append/latency.ts';

/** A signed promise of a batch. */
export interface BatchPromise {
  note: string;
  /** The hashes from the sibling of an entry up, base64. */
  listPath: (index: number) => string[];
}

/** The promise of one entry, as its answer carries it. */
export type { EntryPromise };

/** Kinds of the decision ledger; the audit chain holds only `audit`. */
export type EntryKind =
  | 'trace'
  | 'correction'
  | 'review'
  | 'vote'
  | 'status'
  | 'execution'
  | 'erasure'
  | AttestationKind
  | 'audit';

export type { Position };

/**
 * An entry before it is sealed. It MUST be complete and valid, since a draft that cannot be stored delays its batch.
 * `T`: the document it becomes.
 */
export interface Draft<T extends Sealed = Stored> {
  /** 24 hex digits. */
  organizationId: string;
  kind: EntryKind;
  traceId: string | null;
  /** Sequence of the newest earlier entry about the same trace (compare-and-set); absent on ingestion. */
  after?: number | null;
  /** The canonical payload: the text to digest and store. */
  payload: string;
  /** hex SHA-256 of `payload`. */
  payloadDigest: string;
  /** The members of the document besides the sealed ones. */
  fields: Readonly<Omit<T, keyof Sealed>>;
  /** Identifies replays of the same request: 16 bytes, or an audit id. Null: cannot be replayed. */
  idempotencyKey: Buffer | string | null;
  /** Upper bound on entries of kind `trace` in a calendar month (UTC); null: unlimited. */
  monthlyLimit: number | null;
  /** Present where the entry lets an agent act: a halt forbids it. */
  act?: Act;
  /** Absent: nothing. */
  spends?: Spends;
  /** What it makes of its session; absent: nothing. */
  session?: SessionDraft;
}

/** What an entry adds to sums, and the limits that it must not pass. */
export interface Spends {
  added: readonly Spending[];
  caps: readonly DecisionLimit[];
  /** The standing grant that it uses, among what it adds; absent: none. */
  grant?: GrantUse | undefined;
}

/** The members that sealing adds or copies from the draft. */
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
  /** The sequence of the newest halt entry up to this one; absent: there is none. */
  control?: number;
  /** The sums that this entry changed, as they are after it; absent: it changed none. */
  spent?: Spent[];
  /** The session of the decision, as this entry leaves it; absent: it changed none. */
  session?: SessionRegister;
}

/** A stored document of any kind: the sealed members and the draft's `fields`. */
export type Stored = Sealed & Record<string, unknown>;

/** Committed values of a decrypted entry with their seeds, by name; null or absent: erased or never stored. */
export type CommittedValues = Readonly<Record<string, CommittedValue | null | undefined>>;

/** Returns the committed values that an entry stores; the entry MUST be decrypted. */
export function getCommittedValues({ sealed }: Stored): CommittedValues {
  return typeof sealed === 'object' && sealed !== null ? (sealed as CommittedValues) : {};
}

/**
 * Outcome of an append. `sealed`: newly appended. `repeated`: an entry with the same idempotency key exists; `entry`
 * has the chain's `replayed` members only. `superseded`: another amendment of the decision, or entry of its session,
 * came first.
 * `halted`: the entry would let an agent act that is halted. `exceeded`: it would pass these limits. `ungranted`: the
 * standing grant that it uses has ended.
 */
export type Outcome<T extends Sealed = Stored> =
  | { kind: 'sealed'; entry: T; promise?: EntryPromise | null }
  | { kind: 'repeated'; entry: T }
  | { kind: 'superseded' }
  | { kind: 'halted'; halt: Halt }
  | { kind: 'exceeded'; passed: readonly PassedLimit[] }
  | { kind: 'ungranted'; grantId: string };

/** A limit that an entry would pass, and what was spent before it. */
export interface PassedLimit {
  limit: DecisionLimit;
  slots: readonly WindowSlot[];
}

/**
 * The only writer of a chain. Entries of one organisation form one sequence without gaps or forks, however many
 * instances append. `T`: the documents that have an idempotency key.
 */
export interface Appender<T extends Sealed = Stored> {
  /**
   * Appends one entry. It MUST NOT resolve before the entry is durable on a majority. After a rejection with
   * `SERVICE_UNAVAILABLE` the entry may still become durable: the caller MUST retry with the same idempotency key.
   * @throws AppError `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE` (queue full, quarantine, outcome unknown within
   * `deadlineMs`), `VALIDATION_ERROR` (the database rejected this document)
   */
  append<D extends Sealed = T>(draft: Draft<D>, deadlineMs?: number): Promise<Outcome<D>>;
  /** Finds the entry that answers a replay, with its `replayed` members; null: the idempotency key is free. */
  findReplayed(organizationId: string, idempotencyKey: Buffer | string): Promise<T | null>;
  /** Finds the entries that answer replays, as `findReplayed` does, by the text of their key. */
  findReplays(
    organizationId: string,
    idempotencyKeys: readonly (Buffer | string)[],
  ): Promise<ReadonlyMap<string, T>>;
  /** Reads the head of an organisation's chain from a majority; null when the chain is empty. */
  readHead(organizationId: string): Promise<Position | null>;
  /** Returns the latencies of an organisation's newest appends in this process; null when there were none. */
  getLatency(organizationId: string): Percentiles | null;
  /** Waits until the queues are empty and writes the noted heads; later appends are rejected. */
  close(): Promise<void>;
}
