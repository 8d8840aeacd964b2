// Replays a chain from its first entry: links, digests, columns, committed values and usage, one entry at a time.
import { chainHash, payloadDigest, type Position } from '../../domain/record/chain.ts';
import { beginFold } from '../../domain/record/trace-state.ts';
import type { Json } from '../../domain/record/json.ts';
import { payloadProblem } from '../../domain/record/payload-members.ts';
import type { Payload, TracePayload } from '../../domain/record/payload.ts';
import { readIntact } from './bson-reader.ts';
import type { Columns } from '../columns.ts';
import { checkValues } from './committed-values.ts';
import { differingState } from './current-state.ts';
import type { Stored } from '../entry.ts';
import { Findings, entryPlaceOf, type Verification } from './report.ts';
import { differingColumns } from './stored-columns.ts';

/** Decisions and clauses whose whole history is to be checked, with the committed values found gone. */
export type OpenHistories = Map<string, { sequence: number; name: string }[]>;

/** What the next entry is built on. */
interface Previous {
  sequence: number;
  chainHash: string;
  createdAt: string;
  usage: { month: string; count: number };
}

/** The place of an entry, and its time as it was hashed. */
interface Place {
  sequence: number;
  createdAt: string;
}

/** What is known of a chain before its replay. */
export interface ReplayedChain {
  genesis: string;
  columns: Columns;
  /** Heads that the chain once had, ascending. */
  notedHeads: readonly Position[];
  /** An audit chain records the deletion of its organisation: committed values may be gone. */
  isDeleted: boolean;
}

export class ChainReplay {
  readonly findings = new Findings();
  /** Findings of whole histories: they count where the chain itself is unbroken, for a lost entry spoils the history of an earlier one. */
  readonly histories = new Findings(this.findings.payload);
  /** Taken and replaced by the caller. */
  openHistories: OpenHistories = new Map();
  #previous: Previous;
  #checked = 0;
  #notedHeads: readonly Position[];
  #nextNoted = 0;
  #isComplete = true;
  readonly #columns: Columns;
  readonly #isDeleted: boolean;

  constructor({ genesis, columns, notedHeads, isDeleted }: ReplayedChain) {
    this.#previous = {
      sequence: 0,
      chainHash: genesis,
      createdAt: '',
      usage: { month: '', count: 0 },
    };
    this.#notedHeads = notedHeads;
    this.#columns = columns;
    this.#isDeleted = isDeleted;
  }

  /** The next entry by sequence, as stored: it may hold anything. */
  take(bytes: Buffer): void {
    this.#checked++;
    const entry = readIntact(bytes) as Stored | null;
    if (entry) return this.#takeEntry(entry);
    const sequence = this.#previous.sequence + 1;
    this.findings.break({
      sequence,
      reason: 'chain-hash-mismatch',
      what: 'unreadable: a text is not UTF-8',
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
      this.#checkPayload(entry);
      this.#previous = { sequence, chainHash: entry.chainHash, createdAt, usage };
    } catch (error) {
      this.findings.break({
        sequence,
        reason: 'chain-hash-mismatch',
        what: `unreadable: ${String(error)}`,
      });
      this.#previous = { ...before, sequence, chainHash: String(entry.chainHash) };
    }
    this.#passNotedHeads(sequence, entry.chainHash);
  }

  result(): Verification {
    const { sequence, chainHash: hash } = this.#previous;
    const headSequence = Math.max(sequence, this.#notedHeads.at(-1)?.sequence ?? 0);
    if (headSequence > sequence) {
      this.#isComplete = false;
      const expectedSequence = sequence + 1;
      const what = `the chain ends at ${sequence} but once reached ${headSequence}`;
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

  #checkLink(entry: Stored, place: Place, before: Previous): void {
    const { sequence } = place;
    const expectedSequence = before.sequence + 1;
    if (sequence !== expectedSequence) {
      const what = `found sequence ${sequence}, expected ${expectedSequence}`;
      this.findings.break({ sequence, reason: 'sequence-gap', expectedSequence, what });
    } else if (entry.prevHash !== before.chainHash) {
      this.findings.break({
        sequence,
        reason: 'prev-hash-mismatch',
        what: 'prevHash is not the chain hash of the entry before',
      });
    }
    const altered = alteredPart(entry, place, before);
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

  #checkPayload(entry: Stored): void {
    const { sequence } = entry;
    const parsed: unknown = JSON.parse(entry.view);
    const problem = payloadProblem(parsed as Json);
    if (problem !== null) throw new TypeError(`a payload with ${problem}`);
    const payload = parsed as Payload;
    for (const column of differingColumns(entry, payload, this.#columns))
      this.findings.mismatch(sequence, column);
    const gone = checkValues(entry, payload, this.findings);
    if (payload.kind === 'trace' && !entry.foldedTo && gone.length === 0)
      this.#checkUnamended(entry, payload);
    else if (payload.traceId !== null) this.#openHistory(payload.traceId, sequence, gone);
    else if (this.#isDeleted) this.findings.payload.erased += gone.length;
    else for (const name of gone) this.findings.missing(sequence, `sealed.${name}`);
  }

  /** A decision that nothing was folded onto: its current state is that of its ingestion. */
  #checkUnamended(trace: Stored, payload: TracePayload): void {
    const { sequence, chainHash } = trace;
    const columns = this.#columns;
    const state = beginFold({ sequence, chainHash, payload });
    const payloads = new Map([[sequence, payload]]);
    for (const field of differingState(trace, state, { folded: [trace], payloads, columns }))
      this.findings.mismatch(sequence, field);
  }

  #openHistory(traceId: string, sequence: number, gone: readonly string[]): void {
    const known = this.openHistories.get(traceId) ?? [];
    this.openHistories.set(traceId, [...known, ...gone.map((name) => ({ sequence, name }))]);
  }

  /** Heads that were noted at this entry must have its hash. */
  #passNotedHeads(sequence: number, hash: string): void {
    for (let head = this.#notedHeads[this.#nextNoted]; head && head.sequence <= sequence;) {
      if (head.sequence === sequence && head.chainHash !== hash) {
        this.#isComplete = false;
        this.findings.break({
          sequence,
          reason: 'chain-hash-mismatch',
          what: 'another head was noted at this sequence',
        });
      }
      head = this.#notedHeads[++this.#nextNoted];
    }
  }
}

/** Which part of an entry its own hashes do not cover; null: none. */
function alteredPart(
  entry: Stored,
  { sequence, createdAt }: Place,
  before: Previous,
): string | null {
  const { prevHash, payloadDigest: digest } = entry;
  if (payloadDigest(entry.view) !== digest) return 'payloadDigest does not match the payload';
  if (chainHash({ prevHash, payloadDigest: digest, sequence, createdAt }) !== entry.chainHash)
    return 'chainHash does not match the entry';
  return createdAt < before.createdAt ? 'createdAt is earlier than that of the entry before' : null;
}
