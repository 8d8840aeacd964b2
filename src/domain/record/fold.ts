// The trace as it stands: recomputed from the views of its entries, the last writer winning field by field (docs/formats.md).
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

/** An entry's place and what it says. */
export interface EntryWith<V> extends Position {
  view: V;
}

/** Where the value of a field comes from. */
export interface FieldState {
  /** The entry whose value counts. */
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

/** One decision after all that was said about it. */
export interface TraceState {
  traceId: string;
  subject: Position;
  /** What the next fact must name as `after`; its sequence is what the decision is folded to. */
  newest: Position;
  status: TraceStatus;
  /** Null: no human has judged. */
  humanOverride: boolean | null;
  /** By name: the values of the decision itself, not the words that came with a change (feedback, reason, notes, request). */
  fields: Readonly<Record<string, FieldState>>;
  /** The reviewer's verdict, if there was one. */
  review: { sequence: number; reviewId: string; decision: 'approve' | 'reject' } | null;
  /** All values destroyed, superseded ones and words of changes too. */
  erased: readonly ErasedValue[];
}

/** A later fact that does not follow from what it claims to follow. */
export class BrokenFold extends Error {
  /** Of the entry that does not fit. */
  readonly sequence: number;

  constructor(sequence: number, message: string) {
    super(message);
    this.name = 'BrokenFold';
    this.sequence = sequence;
  }
}

/** What a correction may replace; its `feedback` is about the decision, not part of it. */
const REPLACED = ['outputDecision', 'rationale', 'metadata'];

/** The decision as it was ingested. */
export function beginFold({ sequence, chainHash, view }: EntryWith<TracePayload>): TraceState {
  const fields: Record<string, FieldState> = {};
  for (const [name, commitment] of Object.entries(view.commitments)) {
    fields[name] = {
      sequence,
      commitment,
      state: view.unstored.includes(name) ? 'unstored' : 'stored',
    };
  }
  const subject = { sequence, chainHash };
  const { traceId, status } = view;
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
 * The decision after one more fact about it.
 * @throws BrokenFold when the fact is about another decision, or not the next one after `before.newest`
 */
export function foldEntry(before: TraceState, entry: EntryWith<AmendmentPayload>): TraceState {
  const { view, sequence, chainHash } = entry;
  if (view.traceId !== before.traceId)
    throw new BrokenFold(sequence, 'traceId names another decision');
  if (!isSame(view.subject, before.subject))
    throw new BrokenFold(sequence, 'subject is not the ingested decision');
  if (!isSame(view.after, before.newest))
    throw new BrokenFold(sequence, 'after is not the newest earlier entry');
  const newest = { sequence, chainHash };
  if (view.kind === 'erasure')
    return { ...before, newest, ...erase(before, entry as EntryWith<ErasurePayload>) };
  return {
    ...before,
    newest,
    status: view.set.status ?? before.status,
    humanOverride: view.set.humanOverride ?? before.humanOverride,
    fields:
      view.kind === 'correction'
        ? replace(before, entry as EntryWith<CorrectionPayload>)
        : before.fields,
    review:
      view.kind === 'review'
        ? { sequence, reviewId: view.reviewId, decision: view.decision }
        : before.review,
  };
}

/** The decision after all facts about it, in the order of their sequence. @throws BrokenFold (see `foldEntry`) */
export function foldEntries(
  ingested: EntryWith<TracePayload>,
  later: readonly EntryWith<AmendmentPayload>[],
): TraceState {
  return later.reduce(foldEntry, beginFold(ingested));
}

function isSame(a: Position, b: Position): boolean {
  return a.sequence === b.sequence && a.chainHash === b.chainHash;
}

function replace(
  { fields }: TraceState,
  { sequence, view }: EntryWith<CorrectionPayload>,
): Record<string, FieldState> {
  const replaced: Record<string, FieldState> = { ...fields };
  for (const name of REPLACED) {
    const commitment = view.commitments[name];
    if (commitment !== undefined) replaced[name] = { sequence, commitment, state: 'stored' };
  }
  return replaced;
}

function erase(
  before: TraceState,
  { sequence, view }: EntryWith<ErasurePayload>,
): Pick<TraceState, 'fields' | 'erased'> {
  const fields: Record<string, FieldState> = { ...before.fields };
  const erased = [...before.erased];
  for (const { sequence: from, names } of view.erased) {
    for (const name of names) {
      erased.push({ sequence: from, name, at: sequence });
      const field = fields[name];
      if (field?.sequence === from) fields[name] = { ...field, state: 'erased' };
    }
  }
  return { fields, erased };
}
