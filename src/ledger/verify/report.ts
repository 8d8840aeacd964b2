// The findings of a verification: the first break, the state of the committed values, and completeness.
import { truncate } from '../../domain/names/truncate.ts';

export type BrokenReason = 'prev-hash-mismatch' | 'chain-hash-mismatch' | 'sequence-gap';

/** Where a chain does not match what was sealed. */
export interface Break {
  sequence: number;
  reason: BrokenReason;
  /** For people. */
  what: string;
  /** Of a gap: the sequence expected here. */
  expectedSequence?: number;
}

/** A stored value or copy: `sealed.<name>` for a committed value, else the column. */
export interface EntryPlace {
  sequence: number;
  field: string;
}

export interface PayloadReport {
  /** Committed values that were checked against their commitment. */
  checked: number;
  /** The first hundred. */
  mismatched: EntryPlace[];
  /** Committed values that are gone without an erasure; the first hundred. */
  missing: EntryPlace[];
  erased: number;
  /** Committed to, never stored. */
  unstored: number;
}

/** Whether the chain still reaches what it once reached. */
export interface Completeness {
  /** The highest sequence that the chain is known to have reached. */
  headSequence: number;
  /** Null: nothing outside the chain tells how far it reached. */
  ok: boolean | null;
}

/** Sequences from `first` to below `before`. */
export interface Range {
  first: number;
  before: number;
}

/** What the entry after it is checked against. */
export interface VerifiedPosition {
  sequence: number;
  chainHash: string;
  /** As it was hashed. */
  createdAt: string;
  usage: { month: string; count: number };
}

export interface Verification {
  verified: boolean;
  /** 1, or what comes after the verified position that it began with. */
  fromSequence: number;
  totalChecked: number;
  lastValidSequence: number;
  /** Of the newest entry; null when there is none. */
  lastHash: string | null;
  /** From where a later verification can go on; null when something is broken, or there is no entry. */
  position: VerifiedPosition | null;
  broken: Break | null;
  payload: PayloadReport;
  completeness: Completeness;
}

const PLACES_MAX = 100;
/** Names and errors may come from whoever was at the database. */
const TEXT_MAX = 200;

/** The findings of a part of a chain. */
export interface FoundElsewhere {
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

  break(found: Break): void {
    if (this.broken && entryPlaceOf(this.broken) <= entryPlaceOf(found)) return;
    const { what, ...rest } = found;
    this.broken = Object.assign(rest, { what: truncate(what, TEXT_MAX) });
  }

  /** What was found after all that is known here. */
  join({ broken, payload }: FoundElsewhere): void {
    const { checked, mismatched, missing, erased, unstored } = payload;
    this.payload.checked += checked;
    this.payload.erased += erased;
    this.payload.unstored += unstored;
    for (const place of mismatched) keep(this.payload.mismatched, place);
    for (const place of missing) keep(this.payload.missing, place);
    if (broken) this.break(broken);
  }

  mismatch(sequence: number, field: string): void {
    keep(this.payload.mismatched, { sequence, field });
    this.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} does not match what was sealed`,
    });
  }

  missing(sequence: number, field: string, why = 'no erasure names it'): void {
    keep(this.payload.missing, { sequence, field });
    this.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} is missing, and ${why}`,
    });
  }
}

/** The first sequence that a break puts in doubt. */
export function entryPlaceOf({ sequence, expectedSequence }: Break): number {
  return expectedSequence ?? sequence;
}

function keep(places: EntryPlace[], place: EntryPlace): void {
  const { sequence, field } = place;
  if (places.length < PLACES_MAX) places.push({ sequence, field: truncate(field, TEXT_MAX) });
}
