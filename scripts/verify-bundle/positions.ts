// The positions of all entries, 44 bytes each outside the heap, to check `subject` and `after` against.
import { sha256 } from './text.ts';
import type { Entry, Position } from './layout.ts';
import type { View } from './view.ts';

/** The raw chain hash, the start of the trace id's digest, and for a decision the index of the newest entry about it plus one. */
const HASH_END = 32;
const TRACE_END = 40;
const ENTRY_BYTES = 44;
const CHUNK_ENTRIES = 8192;

/** Consecutive entries of a document, from its first sequence. */
export class Positions {
  private readonly first: number;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** The newest entry about each clause; there are few. */
  private readonly clauses = new Map<string, number>();

  constructor(first: number) {
    this.first = first;
  }

  /** Adds the next entry, which must be intact; returns the fault of its `subject` or `after`, null when they match or precede the document. */
  add({ chainHash, traceId }: Entry, view: View): string | null {
    const index = this.length++;
    if (index % CHUNK_ENTRIES === 0) this.chunks.push(Buffer.alloc(CHUNK_ENTRIES * ENTRY_BYTES));
    const slot = this.slot(index) as Buffer;
    slot.write(chainHash, 0, 'hex');
    slot.write(traceMark(traceId), HASH_END, 'hex');
    if (view.kind === 'trace') slot.writeUInt32LE(index + 1, TRACE_END);
    if (view.kind === 'compliance')
      return this.clauseFault(String(traceId), index, view.after as Position | null);
    return view.subject && view.after ? this.amendmentFault(view, index, view.subject) : null;
  }

  private amendmentFault(
    { traceId, after }: View,
    index: number,
    subject: Position,
  ): string | null {
    const previous = after as Position;
    if (subject.sequence > previous.sequence || previous.sequence >= this.first + index)
      return 'after is out of order';
    if (this.differs(subject, traceId)) return 'subject is not the entry at its sequence';
    if (this.differs(previous, traceId)) return 'after is not the entry at its sequence';
    const ingested = this.slot(subject.sequence - this.first);
    if (!ingested) return null;
    const newest = ingested.readUInt32LE(TRACE_END) - 1;
    if (newest < 0) return 'subject is not an ingested decision';
    ingested.writeUInt32LE(index + 1, TRACE_END);
    return newest === previous.sequence - this.first
      ? null
      : 'after is not the newest earlier entry';
  }

  private clauseFault(traceId: string, index: number, after: Position | null): string | null {
    const newest = this.clauses.get(traceId);
    this.clauses.set(traceId, index);
    if (newest !== undefined) {
      const isNewest = after?.sequence === this.first + newest && !this.differs(after, traceId);
      return isNewest ? null : 'after is not the newest earlier entry';
    }
    return after !== null && after.sequence >= this.first
      ? 'after is not the entry at its sequence'
      : null;
  }

  private differs(position: Position, traceId: string | null): boolean {
    const slot = this.slot(position.sequence - this.first);
    if (!slot) return false;
    return (
      slot.toString('hex', 0, HASH_END) !== position.chainHash ||
      slot.toString('hex', HASH_END, TRACE_END) !== traceMark(traceId)
    );
  }

  private slot(index: number): Buffer | null {
    if (index < 0 || index >= this.length) return null;
    const start = (index % CHUNK_ENTRIES) * ENTRY_BYTES;
    return (this.chunks[Math.floor(index / CHUNK_ENTRIES)] as Buffer).subarray(
      start,
      start + ENTRY_BYTES,
    );
  }
}

function traceMark(traceId: string | null): string {
  return sha256(String(traceId)).slice(0, 2 * (TRACE_END - HASH_END));
}
