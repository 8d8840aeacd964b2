// The findings of a verification: the first break, the state of the committed values, and completeness.
import { truncate } from '@assay/json';

export type BrokenReason = 'prev-hash-mismatch' | 'chain-hash-mismatch' | 'sequence-gap';

/** Where a chain does not match what was sealed. */
export interface Break {
  sequence: number;
  reason: BrokenReason;
  /** Description for people. */
  what: string;
  /** The sequence expected here; of gaps only. */
  expectedSequence?: number;
}

/** A stored value or copy: `sealed.<name>` for a committed value, else the column. */
export interface EntryPlace {
  sequence: number;
  field: string;
}

/** Counts and findings about committed values and columns. */
export interface PayloadReport {
  /** Committed values that were checked against their commitment. */
  checked: number;
  /** Values that do not match what was sealed; the first hundred. */
  mismatched: EntryPlace[];
  /** Committed values that are missing without an erasure; the first hundred. */
  missing: EntryPlace[];
  erased: number;
  /** Values that were committed to and never stored. */
  unstored: number;
}

/** Whether the chain still reaches what it once reached. */
export interface Completeness {
  /** The highest sequence that the chain is known to have reached. */
  headSequence: number;
  /** Null: nothing outside the chain records how far it reached. */
  ok: boolean | null;
}

/** Sequences from `first` to below `before`. */
export interface Range {
  first: number;
  before: number;
}

/** The position of a verified entry, against which the next one is checked. */
export interface VerifiedPosition {
  sequence: number;
  chainHash: string;
  /** As it was hashed. */
  createdAt: string;
  usage: { month: string; count: number };
  /** The sequence of the newest halt entry; absent: there is none. */
  control?: number;
}

/** The report of a verification. */
export interface Verification {
  verified: boolean;
  /** The first verified sequence: 1, or the one after the position it began with. */
  fromSequence: number;
  totalChecked: number;
  lastValidSequence: number;
  /** Chain hash of the newest entry; null when there is none. */
  lastHash: string | null;
  /** The position from which a later verification can continue; null: the chain is broken or empty. */
  position: VerifiedPosition | null;
  broken: Break | null;
  payload: PayloadReport;
  completeness: Completeness;
}

const PLACES_MAX = 100;
/** Upper bound on the length of names and errors: a tampered database may hold any. */
const TEXT_MAX = 200;

/** The findings of a part of a chain. */
export interface PartialFindings {
  broken: Break | null;
  payload: PayloadReport;
}

/** Collects findings in constant memory; the break with the lowest place counts. */
export class Findings {
  broken: Break | null = null;
  readonly payload: PayloadReport;

  constructor(
    payload: PayloadReport = { checked: 0, mismatched: [], missing: [], erased: 0, unstored: 0 },
  ) {
    this.payload = payload;
  }

  addBreak(found: Break): void {
    if (this.broken && getBreakSequence(this.broken) <= getBreakSequence(found)) return;
    const { what, ...rest } = found;
    this.broken = Object.assign(rest, { what: truncate(what, TEXT_MAX) });
  }

  /** Merges the findings of a later part of the chain. */
  mergeFindings({ broken, payload }: PartialFindings): void {
    const { checked, mismatched, missing, erased, unstored } = payload;
    this.payload.checked += checked;
    this.payload.erased += erased;
    this.payload.unstored += unstored;
    for (const place of mismatched) keepPlace(this.payload.mismatched, place);
    for (const place of missing) keepPlace(this.payload.missing, place);
    if (broken) this.addBreak(broken);
  }

  addMismatch(sequence: number, field: string): void {
    keepPlace(this.payload.mismatched, { sequence, field });
    this.addBreak({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} does not match what was sealed`,
    });
  }

  addMissing(sequence: number, field: string, why = 'no erasure names it'): void {
    keepPlace(this.payload.missing, { sequence, field });
    this.addBreak({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} is missing, and ${why}`,
    });
  }
}

/** Returns the first sequence that a break puts in doubt. */
export function getBreakSequence({ sequence, expectedSequence }: Break): number {
  return expectedSequence ?? sequence;
}

function keepPlace(places: EntryPlace[], place: EntryPlace): void {
  const { sequence, field } = place;
  if (places.length < PLACES_MAX) places.push({ sequence, field: truncate(field, TEXT_MAX) });
}
