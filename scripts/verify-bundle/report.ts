// What a verification finds: the verdict, where it does not fit, and what became of the fields.
import type { Place } from './layout.ts';
import type { Value } from './text.ts';

export type Verdict = 'intact' | 'tampered' | 'cannot tell';

export interface Problem {
  verdict: 'tampered' | 'cannot tell';
  /** Stable word for programs. */
  code: string;
  /** The place in the chain; null when it concerns the document as a whole. */
  sequence: number | null;
  /** The line at which it was found, from 1. */
  line: number;
  message: string;
}

/** Committed values by what the document says of them. */
export interface FieldCounts {
  shown: number;
  partlyShown: number;
  withheld: number;
  notStored: number;
  erased: number;
}

/** One committed value; a later row about the same value replaces an earlier one. */
export interface FieldRow {
  sequence: number;
  traceId: string | null;
  name: string;
  state: 'shown' | 'partly shown' | 'withheld' | 'not stored' | 'erased';
  /** Erased: the sequence of the erasure. */
  at?: number;
  /** Shown: the values, by JSON Pointer below the name. */
  values?: { path: string; value: Value }[];
}

export interface Report {
  verdict: Verdict;
  /** The first hundred. */
  problems: Problem[];
  problemCount: number;
  organizationId: string | null;
  chain: 'ledger' | 'audit' | null;
  exportedAt: string | null;
  entries: number;
  firstSequence: number | null;
  lastSequence: number | null;
  /** The newest entry of the chain, as the document claims. */
  head: Place | null;
  /** The last entry that a trusted pin vouches for. */
  vouchedUpTo: number | null;
  /** Whether the kept request body is the one that the receipt's entry commits to; null: not asked or not found. */
  submitted: boolean | null;
  fields: FieldCounts;
}

const KEPT_PROBLEMS = 100;

/** Gathers problems in constant memory. */
export class Findings {
  readonly problems: Problem[] = [];
  count = 0;
  tampered = false;

  add(problem: Problem): void {
    this.count++;
    this.tampered ||= problem.verdict === 'tampered';
    if (this.problems.length < KEPT_PROBLEMS) this.problems.push(problem);
  }

  get verdict(): Verdict {
    if (this.tampered) return 'tampered';
    return this.count === 0 ? 'intact' : 'cannot tell';
  }
}
