// The state of each committed value in a bundle: shown, withheld, not stored, or erased.
import type { Shown } from './disclosures.ts';
import type { Entry } from './layout.ts';
import type { FieldCounts, FieldRow } from './report.ts';
import { listUnstored, type View } from './view.ts';

/** Counts values by state, in constant memory, and reports each one as it is read. */
export class FieldTally {
  private readonly onField: (row: FieldRow) => void;
  private readonly tally: FieldCounts = {
    shown: 0,
    partlyShown: 0,
    withheld: 0,
    notStored: 0,
    erased: 0,
  };

  constructor(onField: ((row: FieldRow) => void) | undefined) {
    this.onField = onField ?? (() => {});
  }

  /** Values erased later in the document are not counted as withheld. */
  getCounts(): FieldCounts {
    return { ...this.tally, withheld: Math.max(0, this.tally.withheld) };
  }

  countEntry({ sequence, traceId }: Entry, view: View, shown: Map<string, Shown>): void {
    for (const name of Object.keys(view.commitments)) {
      this.onField({
        sequence,
        traceId,
        name,
        ...this.state(shown.get(name), listUnstored(view).includes(name)),
      });
    }
  }

  /** The values that an erasure destroyed; `first` is the first sequence of the document. */
  countErasure({ sequence: at, traceId }: Entry, view: View, first: number): void {
    for (const { sequence, names } of view.erased ?? []) {
      this.tally.erased += names.length;
      if (sequence >= first) this.tally.withheld -= names.length;
      for (const name of names) this.onField({ sequence, traceId, name, state: 'erased', at });
    }
  }

  private state(shown: Shown | undefined, unstored: boolean): Pick<FieldRow, 'state' | 'values'> {
    if (shown) {
      this.tally[shown.whole ? 'shown' : 'partlyShown']++;
      return { state: shown.whole ? 'shown' : 'partly shown', values: shown.values };
    }
    this.tally[unstored ? 'notStored' : 'withheld']++;
    return { state: unstored ? 'not stored' : 'withheld' };
  }
}
