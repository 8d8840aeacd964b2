// Stores the entries of a document outside the heap, some 70 bytes each, to check references, duplicates and erasures.
import { Executions } from './decisions/executions.ts';
import { Budgets } from './decisions/budgets.ts';
import { Grants } from './decisions/grants.ts';
import { Halts } from './decisions/halts.ts';
import { Sessions } from './decisions/sessions.ts';
import { Votes } from './decisions/votes.ts';
import { Credentials } from './signatures/credentials.ts';
import type { SignedApprovals } from './signatures/signed-approvals.ts';
import { hashSha256 } from './text.ts';
import { KeptValues } from './kept-values.ts';
import { MarkSet } from './pins/mark-set.ts';
import type { Shown } from './disclosures.ts';
import type { Entry, Position } from './layout.ts';
import type { Fault } from './link-checks.ts';
import { ATTESTATIONS, listUnstored, type View } from './view.ts';

/** Layout of a slot: chain hash, start of the trace id's digest; for decisions, index of the newest entry + 1. */
const HASH_END = 32;
const TRACE_END = 40;
const ENTRY_BYTES = 44;
const CHUNK_ENTRIES = 8192;

/** Consecutive entries of a document, from its first sequence. */
export class Positions {
  private readonly first: number;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private readonly ingested = new MarkSet();
  private readonly values = new KeptValues();
  /** The newest entry about each attested record, by its trace id. */
  private readonly attested = new Map<string, number>();
  private readonly executions: Executions;
  private readonly halts: Halts;
  private readonly grants: Grants;
  private readonly budgets = new Budgets();
  private readonly sessions = new Sessions();
  private readonly votes = new Votes();
  private readonly credentials: Credentials;
  private readonly approvals: SignedApprovals;

  constructor(first: number, approvals: SignedApprovals) {
    this.first = first;
    this.approvals = approvals;
    this.credentials = new Credentials(first);
    this.executions = new Executions(first);
    this.halts = new Halts(first);
    this.grants = new Grants(first);
  }

  /** Adds the next entry, which must be intact; returns faults of its references to entries of the document. */
  addEntry(entry: Entry, view: View, shown: ReadonlyMap<string, Shown>): Fault[] {
    const reference = this.addPosition(entry, view);
    const faults: [code: string, message: string | null][] = [
      ['reference-mismatch', reference],
      ['erasure-mismatch', this.checkErasure(view)],
      ['execution-mismatch', this.executions.addEntry(view, shown)],
      ['halt-mismatch', this.halts.addEntry(entry.sequence, view, shown)],
      ['budget-mismatch', this.budgets.addEntry(view, entry.createdAt, shown)],
      ['grant-mismatch', this.grants.addEntry(entry, view, shown)],
      ['session-mismatch', this.sessions.addEntry(entry, view, shown)],
      ['votes-mismatch', this.votes.addEntry(entry.sequence, view, shown)],
      ...this.checkSignatures(entry, view, shown),
    ];
    this.values.addEntry(listKept(view), (name) => shown.has(name));
    return faults.flatMap(([code, message]) => (message === null ? [] : [{ code, message }]));
  }

  private checkSignatures(
    entry: Entry,
    view: View,
    shown: ReadonlyMap<string, Shown>,
  ): [code: string, message: string | null][] {
    const { credentials } = this;
    const isCredential = view.kind === 'credential';
    return [
      ['credential-mismatch', isCredential ? credentials.addEntry(entry, view, shown) : null],
      ['signature-mismatch', this.approvals.addEntry(entry, view, { shown, credentials })],
    ];
  }

  private addPosition({ chainHash, traceId }: Entry, view: View): string | null {
    const index = this.length++;
    if (index % CHUNK_ENTRIES === 0) this.chunks.push(Buffer.alloc(CHUNK_ENTRIES * ENTRY_BYTES));
    const slot = this.slot(index) as Buffer;
    const mark = computeTraceMark(traceId);
    slot.write(chainHash, 0, 'hex');
    slot.write(mark, HASH_END, 'hex');
    if (view.kind === 'trace') {
      slot.writeUInt32LE(index + 1, TRACE_END);
      return this.ingested.add(mark) ? null : 'the decision is ingested a second time';
    }
    if (ATTESTATIONS.has(view.kind))
      return this.checkAttestation(String(traceId), index, view.after as Position | null);
    return view.subject && view.after ? this.checkAmendment(view, index, view.subject) : null;
  }

  /** An erasure names values of its decision that were kept until then; none of them is shown. */
  private checkErasure({ traceId, erased = [] }: View): string | null {
    let fault: string | null = null;
    for (const { sequence, names } of erased) {
      const index = sequence - this.first;
      if (index < 0) continue;
      const isAboutIt = index < this.length - 1 && this.isAbout(index, traceId);
      for (const name of names) {
        const value = isAboutIt ? this.values.takeValue(index, name) : null;
        if (value === null) fault ??= `it erases ${name} of ${sequence}, which was not kept`;
        if (value === 'shown') fault ??= `it erases ${name} of ${sequence}, which is shown`;
      }
    }
    return fault;
  }

  private isAbout(index: number, traceId: string | null): boolean {
    return this.slot(index)?.toString('hex', HASH_END, TRACE_END) === computeTraceMark(traceId);
  }

  private checkAmendment(
    { traceId, after }: View,
    index: number,
    subject: Position,
  ): string | null {
    const previous = after as Position;
    if (subject.sequence > previous.sequence || previous.sequence >= this.first + index)
      return 'after is out of order';
    if (this.isDifferent(subject, traceId)) return 'subject is not the entry at its sequence';
    if (this.isDifferent(previous, traceId)) return 'after is not the entry at its sequence';
    const ingested = this.slot(subject.sequence - this.first);
    if (!ingested) return null;
    const newest = ingested.readUInt32LE(TRACE_END) - 1;
    if (newest < 0) return 'subject is not an ingested decision';
    ingested.writeUInt32LE(index + 1, TRACE_END);
    return newest === previous.sequence - this.first
      ? null
      : 'after is not the newest earlier entry';
  }

  private checkAttestation(traceId: string, index: number, after: Position | null): string | null {
    const newest = this.attested.get(traceId);
    this.attested.set(traceId, index);
    if (newest !== undefined) {
      const isNewest = after?.sequence === this.first + newest && !this.isDifferent(after, traceId);
      return isNewest ? null : 'after is not the newest earlier entry';
    }
    return after !== null && after.sequence >= this.first
      ? 'after is not the entry at its sequence'
      : null;
  }

  private isDifferent(position: Position, traceId: string | null): boolean {
    const slot = this.slot(position.sequence - this.first);
    if (!slot) return false;
    const index = position.sequence - this.first;
    return (
      slot.toString('hex', 0, HASH_END) !== position.chainHash || !this.isAbout(index, traceId)
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

/** The names of the values that an entry kept. */
const listKept = (view: View): string[] =>
  Object.keys(view.commitments).filter((name) => !listUnstored(view).includes(name));

function computeTraceMark(traceId: string | null): string {
  return hashSha256(String(traceId)).slice(0, 2 * (TRACE_END - HASH_END));
}
