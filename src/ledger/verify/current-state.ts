// A stored decision against the fold of the entries about it: its state, its columns that follow amendments, its changed values.
import {
  type AmendmentPayload,
  TraceFold,
  type TraceState,
} from '../../domain/record/trace-state.ts';
import type { Payload, TracePayload } from '../../domain/record/payload.ts';
import type { Columns } from '../columns.ts';
import { sealedOf, type Stored } from '../entry.ts';
import { differs, memberAt } from './stored-columns.ts';

/** The text of a committed value in force: null when there is none, undefined when it ought to be stored and is not. */
type TextOf = (name: string) => string | null | undefined;

/** A decision as it is stored, and what the entries about it make of it. */
export class FoldedDecision {
  readonly #trace: Stored;
  readonly #columns: Columns;
  readonly #fold: TraceFold;
  /** The values that corrections brought, those in force alone. */
  readonly #replaced = new Map<string, { sequence: number; text: string | undefined }>();
  /** What the columns hold that follow the amendments, by path. */
  readonly #amended = new Map<string, unknown>();
  /** What amendments tell of members that they do not change, by path. */
  readonly #told = new Map<string, unknown>();
  /** The state that is stored; null until the entry is seen that it is said to be folded to. */
  #stored: TraceState | null = null;

  constructor(trace: Stored, payload: TracePayload, columns: Columns) {
    const { sequence, chainHash } = trace;
    this.#trace = trace;
    this.#columns = columns;
    this.#fold = new TraceFold({ sequence, chainHash, payload });
    for (const [path, column] of columns.amended) this.#amended.set(path, column.initial(payload));
    if (this.foldedTo === sequence) this.#stored = this.#fold.state;
  }

  /** The sequence up to which amendments are said to be folded; NaN where it is none. */
  get foldedTo(): number {
    const { foldedTo, sequence } = this.#trace;
    if (foldedTo === undefined || foldedTo === null || foldedTo === 0) return sequence;
    return Number.isSafeInteger(foldedTo) ? (foldedTo as number) : NaN;
  }

  /** @throws BrokenFold when the entry cannot follow */
  add(entry: Stored, payload: Payload): void {
    const { sequence, chainHash } = entry;
    this.#fold.add({ sequence, chainHash, payload });
    if (sequence > this.foldedTo) return;
    this.#amend(entry, payload as AmendmentPayload);
    if (sequence === this.foldedTo) this.#stored = this.#fold.state;
  }

  /** Whether the entry was seen up to which amendments are said to be folded. */
  get isKnown(): boolean {
    return this.#stored !== null;
  }

  /** The values that the stored state has lost. */
  get erased(): TraceState['erased'] {
    return this.#stored?.erased ?? [];
  }

  /** The members of the stored decision that are not what they have to be. */
  differing(): string[] {
    const state = this.#stored;
    if (!state) return ['foldedTo'];
    const textOf: TextOf = (name) => this.#textOf(state, name);
    const differing = this.#differingValues(state, textOf);
    for (const [path, value] of [...this.#amended, ...this.#told])
      if (differs(memberAt(this.#trace, path), value)) differing.push(path);
    return differing;
  }

  #amend(entry: Stored, payload: AmendmentPayload): void {
    const { sequence, createdAt } = entry;
    for (const [path, column] of this.#columns.amended) {
      const value = column.change({ payload, createdAt });
      if (value !== undefined) this.#amended.set(path, value);
    }
    for (const [path, column] of this.#columns.told) {
      const value = column.told(payload);
      if (value !== undefined) this.#told.set(path, value);
    }
    const { fields } = this.#fold.state;
    for (const name of Object.keys(payload.commitments))
      if (fields[name]?.sequence === sequence)
        this.#replaced.set(name, { sequence, text: sealedOf(entry)[name]?.text });
  }

  #textOf({ fields }: TraceState, name: string): string | null | undefined {
    const field = fields[name];
    if (field?.state !== 'stored') return null;
    if (field.sequence === this.#trace.sequence) return sealedOf(this.#trace)[name]?.text;
    return this.#replaced.get(name)?.text;
  }

  /** `changed` holds every value with which a correction replaced an ingested one, null once it is erased, and nothing else. */
  #differingValues({ fields }: TraceState, textOf: TextOf): string[] {
    const { changed = {}, sequence } = this.#trace;
    if (typeof changed !== 'object' || changed === null) return ['changed'];
    const stored = changed as Readonly<Record<string, unknown>>;
    const replaced = Object.keys(fields).filter((name) => fields[name]?.sequence !== sequence);
    const isRight = (name: string): boolean =>
      replaced.includes(name) &&
      Object.hasOwn(stored, name) &&
      !differs(stored[name], textOf(name));
    const names = new Set([...replaced, ...Object.keys(stored)]);
    return [...names].filter((name) => !isRight(name)).map((name) => `changed.${name}`);
  }
}
