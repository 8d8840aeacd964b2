// The report of a verification: the verdict, the problems, and the states of committed values.
import type { Step } from './decisions/decision-story.ts';
import type { Position } from './layout.ts';
import type { Destruction } from './log/destruction-check.ts';
import type { CheckedHeads } from './log/heads-check.ts';
import type { SignatureCounts } from './signatures/signed-approvals.ts';
import type { Value } from './text.ts';

export type Verdict = 'intact' | 'tampered' | 'cannot tell';

export interface Problem {
  verdict: 'tampered' | 'cannot tell';
  /** Stable, for programs. */
  code: string;
  /** Null: the problem concerns the document as a whole. */
  sequence: number | null;
  /** The line where it was found, from 1. */
  line: number;
  message: string;
}

/** Numbers of committed values by state. */
export interface FieldCounts {
  shown: number;
  partlyShown: number;
  withheld: number;
  notStored: number;
  erased: number;
}

/** The state of a committed value; a later row about the same value replaces an earlier one. */
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
  /** Chain hash of the last entry; null: there is none, or it could not be read. */
  lastChainHash: string | null;
  /** The newest entry of the chain, as claimed by the document. */
  head: Position | null;
  /** Members that are the exporter's words: no hash covers them. */
  notCovered: string[];
  /** The last entry that a trusted pin vouches for. */
  vouchedUpTo: number | null;
  /** Whether the given body is what the receipt's entry commits to; null: not given or not found. */
  submitted: boolean | null;
  fields: FieldCounts;
  /** Approvals whose signature by a person holds, by whose key it is. */
  signatures: SignatureCounts;
  /** The steps of the decision that was asked for; null: none was. */
  decision: Step[] | null;
  /** The destruction that was asked for, as the custodian states it; null: none was, or it is not shown. */
  destruction: Destruction | null;
  /** How the chain agrees with the checkpoints of its log; null: none were given, or the document is tampered. */
  heads: CheckedHeads | null;
}

/** Whether every entry that was read is linked to the one before it, as far as all problems are known. */
export const isLinked = ({ verdict, problems, problemCount }: Report): boolean =>
  verdict !== 'tampered' &&
  problemCount === problems.length &&
  !problems.some(({ code, sequence }) => code === 'unreadable' && sequence !== null);

const MAX_PROBLEMS = 100;

/** Collects problems in constant memory. */
export class Findings {
  readonly problems: Problem[] = [];
  count = 0;
  tampered = false;

  add(problem: Problem): void {
    this.count++;
    this.tampered ||= problem.verdict === 'tampered';
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }

  get verdict(): Verdict {
    if (this.tampered) return 'tampered';
    return this.count === 0 ? 'intact' : 'cannot tell';
  }
}
