// The state of a trace: its ingestion and amendments folded in order; the last writer wins (docs/reference/formats.md).
import type { Position } from './chain.ts';
import { listUnstored } from './payload.ts';
import type {
  CorrectionPayload,
  ErasurePayload,
  ExecutionPayload,
  ExecutionState,
  Payload,
  ReviewPayload,
  StatusPayload,
  TraceStatus,
  TracePayload,
  VotePayload,
} from './payload.ts';

type ChangingPayload = CorrectionPayload | ReviewPayload | StatusPayload;
export type AmendmentPayload = ChangingPayload | VotePayload | ErasurePayload | ExecutionPayload;

/** An entry's position in the chain and its parsed payload. */
export interface PayloadEntry<P> extends Position {
  payload: P;
}

/** The entry that the current value of a field comes from. */
export interface FieldState {
  sequence: number;
  commitment: string;
  /** `unstored`: committed to, but never stored. */
  state: 'stored' | 'unstored' | 'erased';
}

/** One value destroyed by an erasure. */
export interface ErasedValue {
  sequence: number;
  name: string;
  /** The sequence of the erasure. */
  at: number;
}

/** A decision with all amendments applied. */
export interface TraceState {
  traceId: string;
  subject: Position;
  /** The newest folded entry; the next amendment names it as `after`. */
  newest: Position;
  status: TraceStatus;
  /** Null: no human verdict yet. */
  humanOverride: boolean | null;
  /**
   * The values of the decision by name, without those that came with an amendment (feedback, reason, notes, request).
   */
  fields: Readonly<Record<string, FieldState>>;
  /** The reviewer's verdict; null: none yet. */
  review: { sequence: number; reviewId: string; decision: 'approve' | 'reject' } | null;
  /** The claim of the action and what became of it; null: it was not claimed. */
  execution: { sequence: number; executionId: string; state: ExecutionState } | null;
  /** All values destroyed, including superseded ones and those that came with an amendment. */
  erased: readonly ErasedValue[];
}

/** An entry about a decision that cannot follow the entries before it. */
export class BrokenFold extends Error {
  /** The sequence of the entry. */
  readonly sequence: number;

  constructor(sequence: number, message: string) {
    super(message);
    this.name = 'BrokenFold';
    this.sequence = sequence;
  }
}

/** The values that a correction may replace; its `feedback` is not part of the decision. */
const REPLACEABLE = ['outputDecision', 'rationale', 'metadata'];

export const AMENDMENT_KINDS = [
  'correction',
  'review',
  'vote',
  'status',
  'execution',
  'erasure',
] as const;
const AMENDMENTS: ReadonlySet<string> = new Set(AMENDMENT_KINDS);

export const isAmendmentKind = (kind: string): boolean => AMENDMENTS.has(kind);

/** Kinds of amendments that hold content: an erasure takes it. */
export const WORDED_AMENDMENTS = ['correction', 'review', 'vote', 'execution'] as const;
/** Kinds of entries about a decision that hold content. */
export const WORDED_KINDS = ['trace', ...WORDED_AMENDMENTS] as const;

/** Folds the entries about one decision, in the order of their sequence. */
export class TraceFold {
  #state: TraceState;
  /** The names of the stored values by the sequence of their entry. */
  readonly #kept = new Map<number, Set<string>>();

  /** The state at ingestion. */
  constructor({ sequence, chainHash, payload }: PayloadEntry<TracePayload>) {
    const { traceId, status, commitments, unstored } = payload;
    const fields: Record<string, FieldState> = {};
    for (const [name, commitment] of Object.entries(commitments))
      fields[name] = {
        sequence,
        commitment,
        state: unstored.includes(name) ? 'unstored' : 'stored',
      };
    this.#kept.set(sequence, new Set(listKept(payload)));
    const subject = { sequence, chainHash };
    this.#state = {
      traceId,
      subject,
      newest: subject,
      status,
      humanOverride: null,
      fields,
      review: null,
      execution: null,
      erased: [],
    };
  }

  /** The state is immutable: every entry creates a new one. */
  get state(): TraceState {
    return this.#state;
  }

  /**
   * @throws BrokenFold for an entry that amends another decision, skips the newest entry, or erases an unstored value
   */
  addEntry(entry: PayloadEntry<Payload>): void {
    const before = this.#state;
    const { payload, sequence, chainHash } = entry;
    assertAmendment(entry);
    assertNext(before, sequence, payload as AmendmentPayload);
    const state = { ...before, newest: { sequence, chainHash } };
    if (payload.kind === 'erasure') Object.assign(state, this.#erase(sequence, payload));
    else if (payload.kind === 'execution')
      Object.assign(state, { execution: followExecution(before, sequence, payload) });
    else if (payload.kind !== 'vote')
      Object.assign(state, applyAmendment(before, sequence, payload as ChangingPayload));
    this.#kept.set(sequence, new Set(listKept(payload)));
    this.#state = state;
  }

  #erase(at: number, payload: ErasurePayload): Pick<TraceState, 'fields' | 'erased'> {
    const fields: Record<string, FieldState> = { ...this.#state.fields };
    const erased = [...this.#state.erased];
    for (const { sequence, names } of payload.erased) {
      for (const name of names) {
        if (!this.#kept.get(sequence)?.delete(name))
          throw new BrokenFold(at, `it erases ${name} of ${sequence}, which was not kept`);
        erased.push({ sequence, name, at });
        const field = fields[name];
        if (field?.sequence === sequence) fields[name] = { ...field, state: 'erased' };
      }
    }
    return { fields, erased };
  }
}

/** The names of the values that an entry stored. */
function listKept(payload: Payload): string[] {
  const unstored = listUnstored(payload);
  return Object.keys(payload.commitments).filter((name) => !unstored.includes(name));
}

/** An action is claimed once; an outcome ends that claim, and is final unless it is `unknown`. */
function followExecution(
  { execution }: TraceState,
  sequence: number,
  { executionId, state }: ExecutionPayload,
): TraceState['execution'] {
  if (state === 'claimed' && execution)
    throw new BrokenFold(sequence, 'the action is claimed a second time');
  if (state !== 'claimed' && execution?.executionId !== executionId)
    throw new BrokenFold(sequence, 'it ends an execution that was not claimed');
  if (execution && !mayEnd(execution.state, state))
    throw new BrokenFold(sequence, 'the execution has ended');
  return { sequence, executionId, state };
}

/** Whether an execution may go from a state to another one. */
export function mayEnd(from: ExecutionState, to: ExecutionState): boolean {
  return from === 'claimed' || (from === 'unknown' && to !== 'unknown');
}

function assertAmendment({ sequence, payload: { kind } }: PayloadEntry<Payload>): void {
  if (kind === 'trace') throw new BrokenFold(sequence, 'the decision is ingested a second time');
  if (!isAmendmentKind(kind))
    throw new BrokenFold(sequence, `${kind} is no amendment of a decision`);
}

function assertNext(before: TraceState, sequence: number, payload: AmendmentPayload): void {
  if (payload.traceId !== before.traceId)
    throw new BrokenFold(sequence, 'traceId names another decision');
  if (!isSame(payload.subject, before.subject))
    throw new BrokenFold(sequence, 'subject is not the ingested decision');
  if (!isSame(payload.after, before.newest))
    throw new BrokenFold(sequence, 'after is not the newest earlier entry');
}

function isSame(a: Position, b: Position): boolean {
  return a.sequence === b.sequence && a.chainHash === b.chainHash;
}

/** The changes by an amendment that is no erasure. */
function applyAmendment(
  before: TraceState,
  sequence: number,
  payload: ChangingPayload,
): Partial<TraceState> {
  const { status, humanOverride } = payload.set;
  const set = {
    status: status ?? before.status,
    humanOverride: humanOverride ?? before.humanOverride,
  };
  if (payload.kind === 'correction')
    return Object.assign(set, { fields: replaceFields(before, sequence, payload) });
  if (payload.kind === 'status') return set;
  const { reviewId, decision } = payload;
  return Object.assign(set, { review: { sequence, reviewId, decision } });
}

function replaceFields(
  { fields }: TraceState,
  sequence: number,
  { commitments }: CorrectionPayload,
): Record<string, FieldState> {
  const replaced: Record<string, FieldState> = { ...fields };
  for (const name of REPLACEABLE) {
    const commitment = commitments[name];
    if (commitment !== undefined) replaced[name] = { sequence, commitment, state: 'stored' };
  }
  return replaced;
}
