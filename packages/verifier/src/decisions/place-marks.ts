// Remembers where each decision of a document stands: marks of its names, of which each takes eight bytes.
import { hashSha256 } from '../text.ts';

/** Decisions that are remembered in one piece. */
const CHUNK_ENTRIES = 8192;
/** Names of a decision: agent, session, and ten persons, which is as many as one is done for. */
const NAMES_MAX = 12;
/** Names of which there is room at first: most decisions are done for no person. */
const NAMES_OFTEN = 2;
/** As much of a digest as a number holds. */
const MARK_DIGITS = 13;

/** The mark of a name; two names have different ones. */
export const toMark = (name: string): number =>
  parseInt(hashSha256(name).slice(0, MARK_DIGITS), 16) || 1;

export class PlaceMarks {
  private readonly first: number;
  private readonly often = new Map<number, Float64Array>();
  private readonly rarely = new Map<number, Float64Array>();

  constructor(first: number) {
    this.first = first;
  }

  remember(sequence: number, marks: readonly number[]): void {
    this.write(this.often, { sequence, width: NAMES_OFTEN }, marks.slice(0, NAMES_OFTEN));
    const others = { sequence, width: NAMES_MAX - NAMES_OFTEN };
    this.write(this.rarely, others, marks.slice(NAMES_OFTEN, NAMES_MAX));
  }

  /** None: it is not a decision of the document, or it has none. */
  list(sequence: number): number[] {
    return [
      ...this.read(this.often, { sequence, width: NAMES_OFTEN }),
      ...this.read(this.rarely, { sequence, width: NAMES_MAX - NAMES_OFTEN }),
    ].filter((mark) => mark !== 0);
  }

  private write(
    chunks: Map<number, Float64Array>,
    { sequence, width }: Place,
    marks: readonly number[],
  ): void {
    if (marks.length === 0) return;
    const index = sequence - this.first;
    const number = Math.floor(index / CHUNK_ENTRIES);
    const chunk = chunks.get(number) ?? new Float64Array(CHUNK_ENTRIES * width);
    chunks.set(number, chunk);
    chunk.set(marks, (index % CHUNK_ENTRIES) * width);
  }

  private read(
    chunks: ReadonlyMap<number, Float64Array>,
    { sequence, width }: Place,
  ): Float64Array | [] {
    const index = sequence - this.first;
    const start = (index % CHUNK_ENTRIES) * width;
    return chunks.get(Math.floor(index / CHUNK_ENTRIES))?.subarray(start, start + width) ?? [];
  }
}

interface Place {
  sequence: number;
  width: number;
}
