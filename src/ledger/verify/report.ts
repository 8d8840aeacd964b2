// What a verification of a chain finds: the first break, what became of the committed values, and whether the tail is there.

export type BrokenReason = 'prev-hash-mismatch' | 'chain-hash-mismatch' | 'sequence-gap';

/** Where a chain no longer is what was sealed. */
export interface Break {
  sequence: number;
  reason: BrokenReason;
  /** Words for people. */
  what: string;
  /** Of a gap: the sequence that ought to stand here. */
  expectedSequence?: number;
}

/** A stored value or copy: `sealed.<name>` for a committed value, else the column. */
export interface EntryPlace {
  sequence: number;
  field: string;
}

export interface PayloadReport {
  /** Committed values that were held against their commitment. */
  checked: number;
  /** The first hundred. */
  mismatched: EntryPlace[];
  /** Committed values that are gone without an erasure; the first hundred. */
  missing: EntryPlace[];
  erased: number;
  /** Committed to, never kept. */
  unstored: number;
}

export interface Verification {
  verified: boolean;
  totalChecked: number;
  lastValidSequence: number;
  /** Of the newest entry; null when there is none. */
  lastHash: string | null;
  broken: Break | null;
  payload: PayloadReport;
  /** `headSequence`: the highest sequence that the chain is known to have reached. */
  completeness: { headSequence: number; ok: boolean };
}

const KEPT_PLACES = 100;

/** Gathers findings in constant memory; the break with the lowest place counts. */
export class Findings {
  broken: Break | null = null;
  readonly payload: PayloadReport;

  constructor(
    payload: PayloadReport = { checked: 0, mismatched: [], missing: [], erased: 0, unstored: 0 },
  ) {
    this.payload = payload;
  }

  break(found: Break): void {
    if (!this.broken || entryPlaceOf(found) < entryPlaceOf(this.broken)) this.broken = found;
  }

  mismatch(sequence: number, field: string): void {
    keep(this.payload.mismatched, { sequence, field });
    this.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} is not what was sealed`,
    });
  }

  missing(sequence: number, field: string): void {
    keep(this.payload.missing, { sequence, field });
    this.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: `${field} is gone, and no entry says that it was erased`,
    });
  }
}

/** The first sequence that a break puts in doubt. */
export function entryPlaceOf({ sequence, expectedSequence }: Break): number {
  return expectedSequence ?? sequence;
}

function keep(places: EntryPlace[], place: EntryPlace): void {
  if (places.length < KEPT_PLACES) places.push(place);
}
