// What the page asks its verifier, and what the verifier answers.
import type { ArchiveReport, Destruction, PromiseReport, Report } from '@assay/verifier';

/** What the reader trusts, and what came with the bundle. */
export interface Evidence {
  proofs: readonly string[];
  checkpoints: readonly string[];
  /** Every checkpoint that was signed of a log, with the heads log. */
  heads: readonly string[];
  policy: string | null;
  /** Verifier keys of logs and of promises. */
  verifierKeys: readonly string[];
  /** Names of keys that sign audit bundles. */
  keyNames: readonly string[];
  /** `sequence:chainHash`, or JSON with a place and its hash. */
  pins: readonly string[];
  /** Time stamps of checkpoints, in base64. */
  stamps: readonly { name: string; base64: string }[];
  /** Root certificates of time-stamping authorities, in PEM. */
  roots: readonly string[];
  /** Saved answers whose promises are checked. */
  answers: readonly { name: string; text: string }[];
  /** A saved erasure whose destruction of keys is looked for. */
  erasure: { name: string; text: string } | null;
  /** Verifier keys of custodians. */
  custodianKeys: readonly string[];
}

/** What the tamper lab does to its copy. */
export interface Tampering {
  what: 'change' | 'remove' | 'swap' | 'cut';
  /** Index of the row. */
  at: number;
  /** Computes all hashes again, as the owner of the database could. */
  isForged: boolean;
}

export interface Question {
  id: number;
  bundle: Blob | null;
  evidence: Evidence;
  tampering: Tampering | null;
}

/** An entry, or a file of an archive. */
export interface EntryRow {
  /** Null: a file, whose name is its kind. */
  sequence: number | null;
  kind: string;
  traceId: string | null;
}

/** Places that a log vouches for. */
export interface LoggedPlace {
  sequence: number;
  origin: string;
  size: number;
  /** Names, each with the time in milliseconds. */
  witnesses: [string, number][];
}

/** A time stamp of a checkpoint that something in the bundle rests on. */
export interface VerifiedStamp {
  name: string;
  issuer: string;
  /** Milliseconds. */
  at: number;
}

export interface DestructionReport {
  /** Name of the file with the erasure. */
  name: string;
  /** What the custodian signed, and the ledger has; null: that is not shown. */
  found: Destruction | null;
  /** Why it is not shown; null: it is, or what was given contradicts it. */
  gap: string | null;
}

export interface Outcome {
  report: Report | ArchiveReport | null;
  logged: LoggedPlace[];
  stamps: VerifiedStamp[];
  /** What of the evidence could not be read. */
  faults: string[];
  promises: { name: string; report: PromiseReport }[];
  /** Null: no erasure was given. */
  destruction: DestructionReport | null;
  /** The tamper lab's copy; null: the bundle is too large for it, or is none. */
  rows: EntryRow[] | null;
  /** What the lab changed: the text around it before and after. */
  change: { before: string; after: string } | null;
}

export type Answer =
  | { id: number; kind: 'progress'; bytes: number }
  | { id: number; kind: 'outcome'; outcome: Outcome }
  | { id: number; kind: 'failure'; message: string };
