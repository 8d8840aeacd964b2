// Compares a stored decision with the fold of the entries about it: state, amended columns, changed values.
import {
  type AmendmentPayload,
  TraceFold,
  type TraceState,
} from '../../domain/record/trace-state.ts';
import type { Payload, TracePayload } from '../../domain/record/payload.ts';
import type { Columns } from '../columns.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { isDifferent, readMember } from './stored-columns.ts';

/** Reads the text of a committed value in force; null: there is none; undefined: it should be stored and is not. */
type ReadText = (name: string) => string | null | undefined;

/** A stored decision, and the state that results from the entries about it. */
export class FoldedDecision {
  readonly #trace: Stored;
  readonly #columns: Columns;
  readonly #fold: TraceFold;
  /** The values in force that corrections have set. */
  readonly #replaced = new Map<string, { sequence: number; text: string | undefined }>();
  /** The expected values of amended columns, by path. */
  readonly #amended = new Map<string, unknown>();
  /** The values that amendments state for members they do not change, by path. */
  readonly #stated = new Map<string, unknown>();
  /** The stored state; null until the entry at `foldedTo` was added. */
  #stored: TraceState | null = null;

  constructor(trace: Stored, payload: TracePayload, columns: Columns) {
    const { sequence, chainHash } = trace;
    this.#trace = trace;
    this.#columns = columns;
    this.#fold = new TraceFold({ sequence, chainHash, payload });
    for (const [path, column] of columns.amended) this.#amended.set(path, column.initial(payload));
    if (this.foldedTo === sequence) this.#stored = this.#fold.state;
  }

  /** The sequence up to which amendments are folded according to the decision; NaN where it is no sequence. */
  get foldedTo(): number {
    const { foldedTo, sequence } = this.#trace;
    if (foldedTo === undefined || foldedTo === null || foldedTo === 0) return sequence;
    return Number.isSafeInteger(foldedTo) ? (foldedTo as number) : NaN;
  }

  /** Adds the next entry about the decision. @throws BrokenFold when the entry cannot follow */
  addEntry(entry: Stored, payload: Payload): void {
    const { sequence, chainHash } = entry;
    this.#fold.addEntry({ sequence, chainHash, payload });
    if (sequence > this.foldedTo) return;
    this.#amend(entry, payload as AmendmentPayload);
    if (sequence === this.foldedTo) this.#stored = this.#fold.state;
  }

  /** Whether the entry at `foldedTo` was added. */
  get isKnown(): boolean {
    return this.#stored !== null;
  }

  /** The values that the stored state has lost. */
  get erased(): TraceState['erased'] {
    return this.#stored?.erased ?? [];
  }

  /** Finds the members of the stored decision that differ from the fold. */
  findDiffering(): string[] {
    const state = this.#stored;
    if (!state) return ['foldedTo'];
    const readText: ReadText = (name) => this.#textOf(state, name);
    const differing = this.#differingValues(state, readText);
    for (const [path, value] of [...this.#amended, ...this.#stated])
      if (isDifferent(readMember(this.#trace, path), value)) differing.push(path);
    return differing;
  }

  #amend(entry: Stored, payload: AmendmentPayload): void {
    const { sequence, createdAt } = entry;
    for (const [path, column] of this.#columns.amended) {
      const value = column.change({ payload, createdAt });
      if (value !== undefined) this.#amended.set(path, value);
    }
    for (const [path, column] of this.#columns.stated) {
      const value = column.fromAmendment(payload);
      if (value !== undefined) this.#stated.set(path, value);
    }
    const { fields } = this.#fold.state;
    for (const name of Object.keys(payload.commitments))
      if (fields[name]?.sequence === sequence)
        this.#replaced.set(name, { sequence, text: getCommittedValues(entry)[name]?.text });
  }

  #textOf({ fields }: TraceState, name: string): string | null | undefined {
    const field = fields[name];
    if (field?.state !== 'stored') return null;
    if (field.sequence === this.#trace.sequence) return getCommittedValues(this.#trace)[name]?.text;
    return this.#replaced.get(name)?.text;
  }

  /** Finds the differing members of `changed`: it MUST hold every replaced value, null once erased, and no other. */
  #differingValues({ fields }: TraceState, readText: ReadText): string[] {
    const { changed = {}, sequence } = this.#trace;
    if (typeof changed !== 'object' || changed === null) return ['changed'];
    const stored = changed as Readonly<Record<string, unknown>>;
    const replaced = Object.keys(fields).filter((name) => fields[name]?.sequence !== sequence);
    const isRight = (name: string): boolean =>
      replaced.includes(name) &&
      Object.hasOwn(stored, name) &&
      !isDifferent(stored[name], readText(name));
    const names = new Set([...replaced, ...Object.keys(stored)]);
    return [...names].filter((name) => !isRight(name)).map((name) => `changed.${name}`);
  }
}
