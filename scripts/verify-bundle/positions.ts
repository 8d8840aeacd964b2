// Where each entry stands, in 44 bytes an entry outside the heap: what `subject` and `after` are held against.
import { sha256 } from './text.ts';
import type { Entry, Place } from './layout.ts';
import type { View } from './view.ts';

/** Raw chain hash, the first bytes of the trace id's digest, and for a decision one more than the index of the newest entry about it. */
const HASH_END = 32;
const MARK_END = 40;
const ENTRY_BYTES = 44;
const CHUNK_ENTRIES = 8192;

/** The entries of a document without a gap, from its first sequence on. */
export class Positions {
  private readonly first: number;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  /** The newest entry about each clause: there are few, and they have no subject. */
  private readonly clauses = new Map<string, number>();

  constructor(first: number) {
    this.first = first;
  }

  /** Remembers the next entry, which must be intact; says why its `subject` or `after` cannot be, or null when they fit or point before this document. */
  next({ chainHash, traceId }: Entry, view: View): string | null {
    const index = this.length++;
    if (index % CHUNK_ENTRIES === 0) this.chunks.push(Buffer.alloc(CHUNK_ENTRIES * ENTRY_BYTES));
    const slot = this.slot(index) as Buffer;
    slot.write(chainHash, 0, 'hex');
    slot.write(markOf(traceId), HASH_END, 'hex');
    if (view.kind === 'trace') slot.writeUInt32LE(index + 1, MARK_END);
    if (view.kind === 'compliance')
      return this.clauseFault(String(traceId), index, view.after as Place | null);
    return view.subject && view.after ? this.factFault(view, index, view.subject) : null;
  }

  private factFault({ traceId, after }: View, index: number, subject: Place): string | null {
    const place = after as Place;
    if (subject.sequence > place.sequence || place.sequence >= this.first + index)
      return 'after is out of order';
    if (this.differs(subject, traceId)) return 'subject is another entry';
    if (this.differs(place, traceId)) return 'after is another entry';
    const ingested = this.slot(subject.sequence - this.first);
    if (!ingested) return null;
    const newest = ingested.readUInt32LE(MARK_END) - 1;
    if (newest < 0) return 'subject is no ingested decision';
    ingested.writeUInt32LE(index + 1, MARK_END);
    return newest === place.sequence - this.first ? null : 'after is not the newest earlier entry';
  }

  private clauseFault(traceId: string, index: number, after: Place | null): string | null {
    const newest = this.clauses.get(traceId);
    this.clauses.set(traceId, index);
    if (newest !== undefined) {
      const isNewest = after?.sequence === this.first + newest && !this.differs(after, traceId);
      return isNewest ? null : 'after is not the newest earlier entry';
    }
    return after !== null && after.sequence >= this.first ? 'after is another entry' : null;
  }

  private differs(place: Place, traceId: string | null): boolean {
    const slot = this.slot(place.sequence - this.first);
    if (!slot) return false;
    return (
      slot.toString('hex', 0, HASH_END) !== place.chainHash ||
      slot.toString('hex', HASH_END, MARK_END) !== markOf(traceId)
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

function markOf(traceId: string | null): string {
  return sha256(String(traceId)).slice(0, 2 * (MARK_END - HASH_END));
}
