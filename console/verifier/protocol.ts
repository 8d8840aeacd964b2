// What the page asks its verifier, and what the verifier answers.
import type { ArchiveReport } from '../../scripts/verify-bundle/archive/verify-archive.ts';
import type { PromiseReport } from '../../scripts/verify-bundle/log/promise-check.ts';
import type { Report } from '../../scripts/verify-bundle/report.ts';

/** What the reader trusts, and what came with the bundle. */
export interface Evidence {
  proofs: readonly string[];
  checkpoints: readonly string[];
  policy: string | null;
  /** Verifier keys of logs and of promises. */
  verifierKeys: readonly string[];
  /** Names of keys that sign audit bundles. */
  keyNames: readonly string[];
  /** `sequence:chainHash`, or JSON with a place and its hash. */
  pins: readonly string[];
  /** Saved answers whose promises are checked. */
  answers: readonly { name: string; text: string }[];
}

/** What the tamper lab does to its copy. */
export interface Tampering {
  what: 'change' | 'remove' | 'swap' | 'cut';
  /** Index of the entry. */
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

export interface EntryRow {
  sequence: number;
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

export interface Outcome {
  report: Report | ArchiveReport | null;
  logged: LoggedPlace[];
  /** What of the evidence could not be read. */
  faults: string[];
  promises: { name: string; report: PromiseReport }[];
  /** For the tamper lab; null: the bundle is too large for it, or is no plain bundle. */
  rows: EntryRow[] | null;
  /** What the lab changed: the text around it before and after. */
  change: { before: string; after: string } | null;
}

export type Answer =
  | { id: number; kind: 'progress'; bytes: number }
  | { id: number; kind: 'outcome'; outcome: Outcome }
  | { id: number; kind: 'failure'; message: string };
