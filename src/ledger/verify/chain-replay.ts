// Replays a chain from its first entry: links, digests, columns, committed values and usage, one entry at a time.
import { isDeepStrictEqual } from 'node:util';
import { ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { computeChainHash, computePayloadDigest } from '../../domain/record/chain.ts';
import { parsePayload, type TracePayload } from '../../domain/record/payload.ts';
import type { Columns } from '../columns.ts';
import { checkValues, findGoneValues } from './committed-values.ts';
import { FoldedDecision } from './current-state.ts';
import type { Stored } from '../entry.ts';
import { isSessionAsCommitted } from '../sessions/session-check.ts';
import { isSpendingAsCommitted } from '../spending/spent-check.ts';
import type { Notes } from './notes.ts';
import {
  type Break,
  type EntryPlace,
  Findings,
  type PartialFindings,
  getBreakSequence,
  type Verification,
  type VerifiedPosition,
} from './report.ts';
import { type Pages, SequenceSet } from './sequence-set.ts';
import { findDifferingColumns } from './stored-columns.ts';

/** The sequence of an entry, and its time as it was hashed. */
interface Place {
  sequence: number;
  createdAt: string;
}

type Controlled = Pick<VerifiedPosition, 'control'>;

/** The input of a replay. */
export interface ReplayInput {
  genesis: string;
  columns: Columns;
  notes: Notes;
  /** Time until which the audit values of a deleted organisation were erased; null: the organisation exists. */
  erasedUntil: Date | null;
  /** The position that an earlier verification has verified; null: the replay begins with the first entry. */
  after: VerifiedPosition | null;
}

/** The result of replaying a part of a chain, in a form that threads can exchange. */
export interface ReplayResult extends PartialFindings {
  /** The position before its first entry, which it assumed to be right. */
  after: VerifiedPosition;
  /** The position of its last entry. */
  position: VerifiedPosition;
  checked: number;
  isComplete: boolean;
  hasDeletion: boolean;
  firstErased: EntryPlace | null;
  suspected: Pages;
}

/** Replays entries in order of sequence and collects findings. It MUST NOT throw, whatever a stored entry holds. */
export class ChainReplay {
  readonly findings = new Findings();
  /** Findings of histories. They count only in an unbroken chain: a lost entry breaks the history of an earlier one. */
  readonly histories = new Findings(this.findings.payload);
  /** Findings outside the chain, reported at its end; they break no history. */
  readonly #beside = new Findings(this.findings.payload);
  /** Decisions with folded amendments or lost values: their history has to be read. */
  readonly suspected = new SequenceSet();
  readonly #after: VerifiedPosition;
  #previous: VerifiedPosition;
  #checked = 0;
  #nextNoted = 0;
  #isComplete = true;
  #hasDeletion = false;
  /** The first lost value that only the deletion of the organisation explains. */
  #firstErased: EntryPlace | null = null;
  readonly #notes: Notes;
  readonly #columns: Columns;
  readonly #erasedUntil: Date | null;

  constructor({ genesis, columns, notes, erasedUntil, after }: ReplayInput) {
    const beginning = { sequence: 0, chainHash: genesis, createdAt: '' };
    this.#after = after ?? { ...beginning, usage: { month: '', count: 0 } };
    this.#previous = this.#after;
    this.#notes = notes;
    this.#columns = columns;
    this.#erasedUntil = erasedUntil;
  }

  /** Replays the next entry by sequence, as stored and opened; it may hold anything. Null: it cannot be read. */
  replayEntry(entry: Stored | null): void {
    this.#checked++;
    if (!entry) this.#skip('it cannot be read');
    else if (Number.isSafeInteger(entry.sequence)) this.#takeEntry(entry);
    else
      this.#breakNext(
        this.findings,
        'an entry is not part of the chain: its sequence is no integer',
      );
  }

  /** Returns the state of this replay, for `joinResult` of another one. */
  toResult(): ReplayResult {
    return {
      after: this.#after,
      position: this.#previous,
      checked: this.#checked,
      broken: this.findings.broken,
      payload: this.findings.payload,
      isComplete: this.#isComplete,
      hasDeletion: this.#hasDeletion,
      firstErased: this.#firstErased,
      suspected: this.suspected.pages,
    };
  }

  /** Adds the result of another replay of the next entries; false: it assumed another position and proves nothing. */
  joinResult(replayed: ReplayResult): boolean {
    if (!isDeepStrictEqual(replayed.after, this.#previous)) return false;
    this.#previous = replayed.position;
    this.#checked += replayed.checked;
    this.findings.mergeFindings(replayed);
    this.#isComplete &&= replayed.isComplete;
    this.#hasDeletion ||= replayed.hasDeletion;
    this.#firstErased ??= replayed.firstErased;
    this.suspected.addAll(replayed.suspected);
    return true;
  }

  /** Reports entries that no replay can meet, since their sequence is no positive integer. */
  reportStrangers(): void {
    this.#breakNext(this.#beside, 'an entry is not part of the chain: its sequence is none');
  }

  /** Reports where the chain is not what was signed, if anywhere. */
  reportUnsigned(found: Break | null): void {
    if (!found) return;
    this.#isComplete = false;
    this.findings.addBreak(found);
  }

  /** Completes the replay: checks the noted heads and the deletion, and returns the report. */
  toVerification(): Verification {
    this.#checkNotes();
    this.#checkDeletion();
    const { sequence, chainHash: hash } = this.#previous;
    const { payload } = this.findings;
    const broken = this.findings.broken ?? pickEarlier(this.histories.broken, this.#beside.broken);
    return {
      verified: broken === null,
      fromSequence: this.#after.sequence + 1,
      totalChecked: this.#checked,
      lastValidSequence: broken ? getBreakSequence(broken) - 1 : sequence,
      lastHash: sequence === 0 ? null : hash,
      position: broken || sequence === 0 ? null : this.#previous,
      broken,
      payload,
      completeness: {
        headSequence: Math.max(sequence, this.#reached),
        ok: this.#reached > 0 || this.#notes.malformed > 0 ? this.#isComplete : null,
      },
    };
  }

  #skip(what: string): void {
    const sequence = this.#previous.sequence + 1;
    this.findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
    this.#previous = { ...this.#previous, sequence };
  }

  #takeEntry(entry: Stored): void {
    const before = this.#previous;
    const { sequence } = entry;
    const hash = typeof entry.chainHash === 'string' ? entry.chainHash : '';
    try {
      const createdAt = entry.createdAt.toISOString();
      this.#checkLink(entry, { sequence, createdAt }, before);
      const usage = this.#checkUsage(entry, createdAt, before);
      const control = this.#checkControl(entry, before);
      this.#checkPayload(entry);
      if (!isSpendingAsCommitted(entry)) this.findings.addMismatch(sequence, 'spent');
      if (!isSessionAsCommitted(entry)) this.findings.addMismatch(sequence, 'session');
      this.#previous = { sequence, chainHash: hash, createdAt, usage, ...control };
    } catch (error) {
      this.findings.addBreak({
        sequence,
        reason: 'chain-hash-mismatch',
        what: `unreadable: ${String(error)}`,
      });
      this.#previous = { ...before, sequence, chainHash: hash };
    }
    this.#passNotedHeads(sequence, hash);
  }

  #checkLink(entry: Stored, place: Place, before: VerifiedPosition): void {
    const { sequence } = place;
    const expectedSequence = before.sequence + 1;
    if (sequence !== expectedSequence) {
      const what = `found sequence ${sequence}, expected ${expectedSequence}`;
      this.findings.addBreak({ sequence, reason: 'sequence-gap', expectedSequence, what });
    } else if (entry.prevHash !== before.chainHash) {
      this.findings.addBreak({
        sequence,
        reason: 'prev-hash-mismatch',
        what: 'prevHash is not the chain hash of the entry before',
      });
    }
    const altered = findAlteredPart(entry, place, before);
    if (altered !== null)
      this.findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what: altered });
  }

  #checkUsage(
    entry: Stored,
    createdAt: string,
    before: VerifiedPosition,
  ): VerifiedPosition['usage'] {
    const month = createdAt.slice(0, 7);
    const carried = before.usage.month === month ? before.usage.count : 0;
    const count = entry.kind === 'trace' ? carried + 1 : carried;
    const { usage } = entry;
    const isRight =
      usage.month === month && usage.count === count && Object.keys(usage).length === 2;
    if (!isRight) this.findings.addMismatch(entry.sequence, 'usage');
    return { month, count };
  }

  #checkControl({ kind, sequence, control }: Stored, before: VerifiedPosition): Controlled {
    const expected = kind === 'halt' ? sequence : before.control;
    if (control !== expected) this.findings.addMismatch(sequence, 'control');
    return expected === undefined ? {} : { control: expected };
  }

  #checkPayload(entry: Stored): void {
    const { sequence } = entry;
    const parsed = parsePayload(entry.view);
    if ('reason' in parsed) throw new TypeError(`the payload is ${parsed.reason}`);
    const { payload } = parsed;
    if ((payload.kind === 'audit') !== (this.#columns.kind === 'audit'))
      throw new TypeError('an entry of another kind of chain');
    for (const column of findDifferingColumns(entry, payload, this.#columns))
      this.findings.addMismatch(sequence, column);
    checkValues(entry, payload, this.findings);
    const gone = findGoneValues(entry, payload);
    if (payload.kind === 'audit') this.#checkErased(entry, payload.action, gone);
    else if (entry.foldedTo || gone.length > 0) this.suspected.add(sequence);
    else if (payload.kind === 'trace') this.#checkUnamended(entry, payload);
  }

  /** Checks a decision without amendments: its current state is that of its ingestion. */
  #checkUnamended(trace: Stored, payload: TracePayload): void {
    for (const field of new FoldedDecision(trace, payload, this.#columns).findDiffering())
      this.findings.addMismatch(trace.sequence, field);
  }

  /** Checks lost audit values: a deletion erases all, except in the entry that records who deleted the organisation. */
  #checkErased({ sequence, createdAt, status }: Stored, action: string, gone: string[]): void {
    const isDeletion = action === ORGANIZATION_DELETED && status === 'success';
    this.#hasDeletion ||= isDeletion;
    const isErased = this.#erasedUntil !== null && createdAt <= this.#erasedUntil && !isDeletion;
    for (const name of gone) {
      const place = { sequence, field: `sealed.${name}` };
      if (isErased) this.findings.payload.erased++;
      else this.findings.addMissing(sequence, place.field);
      if (isErased) this.#firstErased ??= place;
    }
  }

  #checkDeletion(): void {
    if (this.#firstErased && !this.#hasDeletion)
      this.findings.addMissing(this.#firstErased.sequence, this.#firstErased.field);
  }

  get #reached(): number {
    return Math.max(this.#notes.reached, this.#notes.heads.at(-1)?.sequence ?? 0);
  }

  /** Checks that the chain still reaches every sequence that it once reached. */
  #checkNotes(): void {
    const { sequence } = this.#previous;
    const { malformed } = this.#notes;
    const isShort = this.#reached > sequence;
    if (isShort)
      this.#breakNext(
        this.findings,
        `the chain ends at ${sequence} but once reached ${this.#reached}`,
      );
    if (malformed > 0) this.#breakNext(this.#beside, 'a noted head names no position');
    if (isShort || malformed > 0) this.#isComplete = false;
  }

  /** Adds a break at the place of the next entry. */
  #breakNext(findings: Findings, what: string): void {
    const expectedSequence = this.#previous.sequence + 1;
    const reason = 'sequence-gap';
    findings.addBreak({ sequence: expectedSequence, reason, expectedSequence, what });
  }

  /** Checks that the heads noted at this entry have its hash. */
  #passNotedHeads(sequence: number, hash: string): void {
    const { heads } = this.#notes;
    for (let head = heads[this.#nextNoted]; head && head.sequence <= sequence;) {
      if (head.sequence === sequence && head.chainHash !== hash) {
        this.#isComplete = false;
        this.findings.addBreak({
          sequence,
          reason: 'chain-hash-mismatch',
          what: 'another head was noted at this sequence',
        });
      }
      head = heads[++this.#nextNoted];
    }
  }
}

function pickEarlier(a: Break | null, b: Break | null): Break | null {
  if (!a || !b) return a ?? b;
  return getBreakSequence(a) <= getBreakSequence(b) ? a : b;
}

/** Finds the part of an entry that its own hashes contradict; null: none. */
function findAlteredPart(
  entry: Stored,
  { sequence, createdAt }: Place,
  before: VerifiedPosition,
): string | null {
  const { prevHash, payloadDigest: digest } = entry;
  if (computePayloadDigest(entry.view) !== digest)
    return 'payloadDigest does not match the payload';
  if (
    computeChainHash({ prevHash, payloadDigest: digest, sequence, createdAt }) !== entry.chainHash
  )
    return 'chainHash does not match the entry';
  return createdAt < before.createdAt ? 'createdAt is earlier than that of the entry before' : null;
}
