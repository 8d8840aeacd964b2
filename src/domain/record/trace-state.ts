// The current state of a trace: its ingestion and amendments folded in order, last writer wins for each field (docs/formats.md).
import type { Position } from './chain.ts';
import type {
  CorrectionPayload,
  ErasurePayload,
  ReviewPayload,
  StatusPayload,
  TraceStatus,
  TracePayload,
} from './payload.ts';

export type AmendmentPayload = CorrectionPayload | ReviewPayload | StatusPayload | ErasurePayload;

/** An entry's position in the chain and its parsed payload. */
export interface PayloadEntry<P> extends Position {
  payload: P;
}

/** Which entry the current value of a field comes from. */
export interface FieldState {
  sequence: number;
  commitment: string;
  /** `unstored`: committed to, never kept. */
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
  /** The newest entry folded; the next amendment names it as `after`. */
  newest: Position;
  status: TraceStatus;
  /** Null: no human verdict yet. */
  humanOverride: boolean | null;
  /** The values of the decision by name, without those that came with an amendment (feedback, reason, notes, request). */
  fields: Readonly<Record<string, FieldState>>;
  /** The reviewer's verdict; null: none yet. */
  review: { sequence: number; reviewId: string; decision: 'approve' | 'reject' } | null;
  /** All values destroyed, including superseded ones and those that came with an amendment. */
  erased: readonly ErasedValue[];
}

/** An amendment that does not follow the entry that it names. */
export class BrokenFold extends Error {
  /** Of the amendment. */
  readonly sequence: number;

  constructor(sequence: number, message: string) {
    super(message);
    this.name = 'BrokenFold';
    this.sequence = sequence;
  }
}

/** The values that a correction may replace; its `feedback` is not part of the decision. */
const REPLACEABLE = ['outputDecision', 'rationale', 'metadata'];

/** The state at ingestion. */
export function beginFold({
  sequence,
  chainHash,
  payload,
}: PayloadEntry<TracePayload>): TraceState {
  const fields: Record<string, FieldState> = {};
  for (const [name, commitment] of Object.entries(payload.commitments)) {
    fields[name] = {
      sequence,
      commitment,
      state: payload.unstored.includes(name) ? 'unstored' : 'stored',
    };
  }
  const subject = { sequence, chainHash };
  const { traceId, status } = payload;
  return {
    traceId,
    subject,
    newest: subject,
    status,
    humanOverride: null,
    fields,
    review: null,
    erased: [],
  };
}

/**
 * The state after one more amendment.
 * @throws BrokenFold when it amends another decision, or does not follow `before.newest`
 */
export function foldEntry(before: TraceState, entry: PayloadEntry<AmendmentPayload>): TraceState {
  expectNext(before, entry);
  const { payload, sequence, chainHash } = entry;
  const state = { ...before, newest: { sequence, chainHash } };
  if (payload.kind === 'erasure') return { ...state, ...erase(before, sequence, payload) };
  const { status, humanOverride } = payload.set;
  state.status = status ?? before.status;
  state.humanOverride = humanOverride ?? before.humanOverride;
  if (payload.kind === 'correction') state.fields = replace(before, sequence, payload);
  if (payload.kind === 'review') {
    const { reviewId, decision } = payload;
    state.review = { sequence, reviewId, decision };
  }
  return state;
}

/** The state after all amendments, given in the order of their sequence. @throws BrokenFold (see `foldEntry`) */
export function foldEntries(
  ingestion: PayloadEntry<TracePayload>,
  amendments: readonly PayloadEntry<AmendmentPayload>[],
): TraceState {
  return amendments.reduce(foldEntry, beginFold(ingestion));
}

function expectNext(
  before: TraceState,
  { sequence, payload }: PayloadEntry<AmendmentPayload>,
): void {
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

function replace(
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

function erase(
  before: TraceState,
  sequence: number,
  payload: ErasurePayload,
): Pick<TraceState, 'fields' | 'erased'> {
  const fields: Record<string, FieldState> = { ...before.fields };
  const erased = [...before.erased];
  for (const { sequence: from, names } of payload.erased) {
    for (const name of names) {
      erased.push({ sequence: from, name, at: sequence });
      const field = fields[name];
      if (field?.sequence === from) fields[name] = { ...field, state: 'erased' };
    }
  }
  return { fields, erased };
}
