// The replay of a chain from its first entry: links, digests, copies, values and usage, one entry at a time.
import { chainHash, payloadDigest, type Position } from '../../domain/record/chain.ts';
import { beginFold } from '../../domain/record/trace-state.ts';
import type { Json } from '../../domain/record/json.ts';
import { payloadProblem } from '../../domain/record/payload-members.ts';
import type { Payload } from '../../domain/record/payload.ts';
import { readIntact } from './bson-reader.ts';
import type { Chain } from '../chains.ts';
import type { Stored } from '../entry.ts';
import { differingColumns } from './columns.ts';
import { Findings, entryPlaceOf, type Verification } from './report.ts';
import { differingState } from './current-state.ts';
import { checkValues } from './values.ts';

/** Decisions and clauses whose whole history is to be looked at, with the values found gone. */
export type Open = Map<string, { sequence: number; name: string }[]>;

/** What the next entry is built on. */
interface Previous {
  sequence: number;
  chainHash: string;
  createdAt: string;
  usage: { month: string; count: number };
}

/** Where an entry stands, and its time as it was hashed. */
interface At {
  sequence: number;
  createdAt: string;
}

/** What is known of a chain before it is replayed. */
export interface Known {
  /** Heads that it once had, ascending. */
  marks: readonly Position[];
  /** An audit chain says that its organisation was deleted: committed values may be gone. */
  isDeleted: boolean;
}

export class Replay {
  readonly findings = new Findings();
  /** What whole histories show: it counts where the chain itself is unbroken, for a lost entry spoils the history of an earlier one. */
  readonly histories = new Findings(this.findings.payload);
  /** Taken and emptied by the caller. */
  open: Open = new Map();
  #previous: Previous;
  #checked = 0;
  #marks: readonly Position[];
  #nextMark = 0;
  #isComplete = true;
  readonly #isDeleted: boolean;

  constructor(chain: Chain, { marks, isDeleted }: Known) {
    this.#previous = {
      sequence: 0,
      chainHash: chain.genesis,
      createdAt: '',
      usage: { month: '', count: 0 },
    };
    this.#marks = marks;
    this.#isDeleted = isDeleted;
  }

  /** The next entry in the order of sequence, as stored: anything may stand in it. */
  take(bytes: Buffer): void {
    this.#checked++;
    const entry = readIntact(bytes) as Stored | null;
    if (entry) return this.#takeEntry(entry);
    const sequence = this.#previous.sequence + 1;
    this.findings.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: 'unreadable: a text is no UTF-8',
    });
    this.#previous = { ...this.#previous, sequence };
  }

  #takeEntry(entry: Stored): void {
    const before = this.#previous;
    const sequence = Number.isSafeInteger(entry.sequence) ? entry.sequence : before.sequence + 1;
    try {
      const createdAt = entry.createdAt.toISOString();
      this.#checkLink(entry, { sequence, createdAt }, before);
      const usage = this.#checkUsage(entry, createdAt, before);
      this.#checkView(entry);
      this.#previous = { sequence, chainHash: entry.chainHash, createdAt, usage };
    } catch (error) {
      this.findings.break({
        sequence,
        reason: 'chain-hash-mismatch',
        what: `unreadable: ${String(error)}`,
      });
      this.#previous = { ...before, sequence, chainHash: String(entry.chainHash) };
    }
    this.#passMarks(sequence, entry.chainHash);
  }

  result(): Verification {
    const { sequence, chainHash: hash } = this.#previous;
    const headSequence = Math.max(sequence, this.#marks.at(-1)?.sequence ?? 0);
    if (headSequence > sequence) {
      this.#isComplete = false;
      const expectedSequence = sequence + 1;
      const what = `the chain ends at ${sequence} and once reached ${headSequence}`;
      this.findings.break({
        sequence: expectedSequence,
        reason: 'sequence-gap',
        expectedSequence,
        what,
      });
    }
    const { payload } = this.findings;
    const broken = this.findings.broken ?? this.histories.broken;
    return {
      verified: broken === null,
      totalChecked: this.#checked,
      lastValidSequence: broken ? entryPlaceOf(broken) - 1 : sequence,
      lastHash: this.#checked === 0 ? null : hash,
      broken,
      payload,
      completeness: { headSequence, ok: this.#isComplete },
    };
  }

  #checkLink(entry: Stored, at: At, before: Previous): void {
    const { sequence } = at;
    const expectedSequence = before.sequence + 1;
    if (sequence !== expectedSequence) {
      const what = `sequence ${sequence} stands where ${expectedSequence} belongs`;
      this.findings.break({ sequence, reason: 'sequence-gap', expectedSequence, what });
    } else if (entry.prevHash !== before.chainHash) {
      this.findings.break({
        sequence,
        reason: 'prev-hash-mismatch',
        what: 'does not link to the entry before',
      });
    }
    const altered = alteredPart(entry, at, before);
    if (altered !== null)
      this.findings.break({ sequence, reason: 'chain-hash-mismatch', what: altered });
  }

  #checkUsage(entry: Stored, createdAt: string, before: Previous): Previous['usage'] {
    const month = createdAt.slice(0, 7);
    const carried = before.usage.month === month ? before.usage.count : 0;
    const count = entry.kind === 'trace' ? carried + 1 : carried;
    if (entry.usage.month !== month || entry.usage.count !== count)
      this.findings.mismatch(entry.sequence, 'usage');
    return { month, count };
  }

  #checkView(entry: Stored): void {
    const { sequence, chainHash } = entry;
    const view = JSON.parse(entry.view) as Payload;
    const fault = payloadProblem(view as unknown as Json);
    if (fault !== null) throw new TypeError(`a view with ${fault}`);
    for (const column of differingColumns(entry, view)) this.findings.mismatch(sequence, column);
    const gone = checkValues(entry, view, this.findings);
    const isFolded = view.kind === 'trace' && (Boolean(entry.foldedTo) || gone.length > 0);
    if (view.kind === 'trace' && !isFolded) {
      const views = new Map([[sequence, view]]);
      const standing = beginFold({ sequence, chainHash, payload: view });
      for (const field of differingState(entry, standing, { told: [entry], views }))
        this.findings.mismatch(sequence, field);
    } else if (view.traceId !== null) this.#openHistory(view.traceId, sequence, gone);
    else if (this.#isDeleted) this.findings.payload.erased += gone.length;
    else for (const name of gone) this.findings.missing(sequence, `sealed.${name}`);
  }

  #openHistory(traceId: string, sequence: number, gone: readonly string[]): void {
    const known = this.open.get(traceId) ?? [];
    this.open.set(traceId, [...known, ...gone.map((name) => ({ sequence, name }))]);
  }

  /** Heads that were noted at or before this entry must be what stands there. */
  #passMarks(sequence: number, hash: string): void {
    for (let mark = this.#marks[this.#nextMark]; mark && mark.sequence <= sequence;) {
      if (mark.sequence === sequence && mark.chainHash !== hash) {
        this.#isComplete = false;
        this.findings.break({
          sequence,
          reason: 'chain-hash-mismatch',
          what: 'not the head that was once noted here',
        });
      }
      mark = this.#marks[++this.#nextMark];
    }
  }
}

/** Which part of an entry is not what its own hash covers; null: none. */
function alteredPart(entry: Stored, { sequence, createdAt }: At, before: Previous): string | null {
  const { prevHash, payloadDigest: digest } = entry;
  if (payloadDigest(entry.view) !== digest) return 'the view does not fit its digest';
  if (chainHash({ prevHash, payloadDigest: digest, sequence, createdAt }) !== entry.chainHash)
    return 'the chain hash does not fit the entry';
  return createdAt < before.createdAt ? 'earlier than the entry before' : null;
}
