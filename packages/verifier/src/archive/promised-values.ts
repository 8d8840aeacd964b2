// Compares the values that a bundle shows with those that its manifest promises.
import type { FieldRow } from '../report.ts';
import type { Omissions } from './manifest.ts';

/** How many missing values are remembered: more than a bundle of the greatest length has. */
const MAX_MISSING = 2_000_000;

/** Collects the promised values that are neither shown nor known to be erased. */
export class PromisedValues {
  private readonly missing: ReadonlyMap<string, Set<number>>;
  private readonly most: number;
  private remembered = 0;
  private forgotten = 0;

  constructor(names: readonly string[], most = MAX_MISSING) {
    this.most = most;
    this.missing = new Map(names.map((name) => [name, new Set<number>()]));
  }

  /** Records the state of a committed value. */
  recordField({ sequence, name, state }: FieldRow): void {
    const missing = this.missing.get(name);
    if (state === 'erased') missing?.delete(sequence);
    if (!missing || (state !== 'withheld' && state !== 'partly shown')) return;
    if (this.remembered === this.most) this.forgotten += 1;
    else {
      this.remembered += 1;
      missing.add(sequence);
    }
  }

  /** Records the values that the signer declares erased. */
  recordOmissions({ omitted }: Omissions): void {
    for (const { sequence, names } of omitted)
      for (const name of names) this.missing.get(name)?.delete(sequence);
  }

  /** Counts the missing values and returns the first. */
  findMissing(): { count: number; first: { sequence: number; name: string } | null } {
    let first: { sequence: number; name: string } | null = null;
    let count = this.forgotten;
    for (const [name, sequences] of this.missing) {
      count += sequences.size;
      for (const sequence of sequences)
        if (first === null || sequence < first.sequence) first = { sequence, name };
    }
    return { count, first };
  }
}
