// What a bundle says of each committed value: shown, withheld, not stored, or erased.
import type { Shown } from './disclosures.ts';
import type { Entry } from './layout.ts';
import type { FieldCounts, FieldRow } from './report.ts';
import type { View } from './view.ts';

/** Counts values in constant memory and hands each on as it is met. */
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

  /** A value that an erasure of this document names was counted as withheld when its entry was read. */
  counts(): FieldCounts {
    return { ...this.tally, withheld: Math.max(0, this.tally.withheld) };
  }

  entry({ sequence, traceId }: Entry, view: View, shown: Map<string, Shown>): void {
    for (const name of Object.keys(view.commitments)) {
      this.onField({
        sequence,
        traceId,
        name,
        ...this.state(shown.get(name), view.unstored?.includes(name) ?? false),
      });
    }
  }

  /** The values that an erasure destroyed, in entries from `first` on or before this document. */
  erasure({ sequence: at, traceId }: Entry, view: View, first: number): void {
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
