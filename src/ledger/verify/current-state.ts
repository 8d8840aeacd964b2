// Checks a decision's current state: the fold of its amendments, recomputed from their payloads, against what is stored.
import type { Position } from '../../domain/record/chain.ts';
import {
  beginFold,
  BrokenFold,
  foldEntry,
  type AmendmentPayload,
  type TraceState,
} from '../../domain/record/trace-state.ts';
import type { CompliancePayload, TracePayload, Payload } from '../../domain/record/payload.ts';
import { sealedOf, type Stored } from '../entry.ts';
import type { Columns } from '../columns.ts';
import type { Findings } from './report.ts';
import { differs, memberAt, parsedText } from './stored-columns.ts';

/** An amendment is folded before it is answered; after a crash a consumer folds it within this time. */
const FOLD_LAG_MAX_MS = 60_000;

/** One decision or clause with every entry about it, by sequence; the first may be no ingestion. */
export interface History {
  entries: readonly Stored[];
  /** Committed values that the replay found gone. */
  gone: readonly { sequence: number; name: string }[];
  columns: Columns;
  now: Date;
}

/** Folds a history and compares what is stored with it. */
export function checkHistory(history: History, findings: Findings): void {
  const erased = new Set(
    erasedIn(history, findings).map(({ sequence, name }) => `${sequence}.${name}`),
  );
  for (const { sequence, name } of history.gone) {
    if (erased.has(`${sequence}.${name}`)) findings.payload.erased++;
    else findings.missing(sequence, `sealed.${name}`);
  }
}

/** The erased values of a history, which is checked; a history that does not fold has none. */
function erasedIn({ entries, columns, now }: History, findings: Findings): TraceState['erased'] {
  try {
    const payloads = new Map(
      entries.map((entry) => [entry.sequence, JSON.parse(entry.view) as Payload]),
    );
    const [first, ...amendments] = entries;
    const payload = first && payloads.get(first.sequence);
    if (!first || payload === undefined) return [];
    if (payload.kind === 'trace')
      return foldTrace({ trace: first, payload, amendments, payloads, columns, now }, findings)
        .erased;
    if (payload.kind !== 'compliance')
      throw new BrokenFold(first.sequence, 'the decision that it is about is missing');
    checkClause(entries, payloads);
  } catch (error) {
    // The replay has reported an entry that cannot be read already.
    if (error instanceof SyntaxError || error instanceof TypeError) return [];
    if (!(error instanceof BrokenFold)) throw error;
    findings.break({
      sequence: error.sequence,
      reason: 'chain-hash-mismatch',
      what: error.message,
    });
  }
  return [];
}

interface Decision {
  trace: Stored;
  payload: TracePayload;
  amendments: readonly Stored[];
  payloads: ReadonlyMap<number, Payload>;
  columns: Columns;
  now: Date;
}

/** Checks a decision against the fold of its amendments; returns its newest state. */
function foldTrace(decision: Decision, findings: Findings): TraceState {
  const { trace, amendments, payloads, columns, now } = decision;
  const foldedTo = Number(trace.foldedTo ?? 0) || trace.sequence;
  const { state, newest } = statesOf(decision, foldedTo);
  const isLate = amendments.some(
    ({ sequence, createdAt }) => sequence > foldedTo && isOverdue(createdAt, now),
  );
  if (!state || isLate) findings.mismatch(trace.sequence, 'foldedTo');
  if (!state) return newest;
  const folded = [trace, ...amendments].filter(({ sequence }) => sequence <= foldedTo);
  for (const field of differingState(trace, state, { folded, payloads, columns }))
    findings.mismatch(trace.sequence, field);
  for (const { sequence, name } of state.erased) {
    const holder = folded.find((entry) => entry.sequence === sequence);
    if (holder && sealedOf(holder)[name]) findings.mismatch(sequence, `sealed.${name}`);
  }
  return newest;
}

/** The state of a decision after all its amendments, and after those up to `foldedTo`; null when there is no such entry. */
function statesOf(
  { trace, payload, amendments, payloads }: Decision,
  foldedTo: number,
): { state: TraceState | null; newest: TraceState } {
  let newest = beginFold({ ...positionOf(trace), payload });
  let state = foldedTo === trace.sequence ? newest : null;
  for (const entry of amendments) {
    const amendment = payloads.get(entry.sequence) as AmendmentPayload;
    newest = foldEntry(newest, { ...positionOf(entry), payload: amendment });
    if (entry.sequence === foldedTo) state = newest;
  }
  return { state, newest };
}

function isOverdue(createdAt: Date, now: Date): boolean {
  return createdAt.getTime() < now.getTime() - FOLD_LAG_MAX_MS;
}

/** What a stored decision consists of. */
export interface FoldedEntries {
  /** The decision and the amendments that are folded into it. */
  folded: readonly Stored[];
  payloads: ReadonlyMap<number, Payload>;
  columns: Columns;
}

/** The columns of a decision that differ from its folded state. */
export function differingState(trace: Stored, state: TraceState, entries: FoldedEntries): string[] {
  const { amended, repeating } = entries.columns;
  const textOf = textsOf(state, entries.folded);
  const differing = differingValues(trace, state, textOf);
  for (const name of repeating)
    if (differs(trace[name], parsedText(textOf(name)))) differing.push(name);
  for (const [path, column] of amended)
    if (differs(memberAt(trace, path), amendedValue(column, entries))) differing.push(path);
  return differing;
}

/** What a column holds that follows the amendments. */
function amendedValue(
  column: Columns['amended'][number][1],
  { folded: [trace, ...amendments], payloads }: FoldedEntries,
): unknown {
  let value = column.initial(payloads.get(trace?.sequence ?? 0) as TracePayload);
  for (const { sequence, createdAt } of amendments) {
    const payload = payloads.get(sequence) as AmendmentPayload;
    const changed = column.change({ payload, createdAt });
    if (changed !== undefined) value = changed;
  }
  return value;
}

/** The text of a committed value in force: null when there is none, undefined when it ought to be stored and is not. */
type TextOf = (name: string) => string | null | undefined;

function textsOf({ fields }: TraceState, folded: readonly Stored[]): TextOf {
  const values = new Map(folded.map((entry) => [entry.sequence, sealedOf(entry)]));
  return (name) => {
    const field = fields[name];
    if (field?.state !== 'stored') return null;
    return values.get(field.sequence)?.[name]?.text;
  };
}

/** The members of `changed` that are not the values with which corrections replaced the ingested ones. */
function differingValues(trace: Stored, { fields }: TraceState, textOf: TextOf): string[] {
  const changed = (trace.changed ?? {}) as Readonly<Record<string, unknown>>;
  const isReplaced = (name: string): boolean =>
    fields[name] !== undefined && fields[name].sequence !== trace.sequence;
  const altered = Object.keys(fields).filter(
    (name) => isReplaced(name) && differs(changed[name], textOf(name)),
  );
  const unexpected = Object.keys(changed).filter(
    (name) => changed[name] !== null && !isReplaced(name),
  );
  return [...altered, ...unexpected].map((name) => `changed.${name}`);
}

/** Attestations of a clause follow one another; nothing is folded. */
function checkClause(entries: readonly Stored[], payloads: ReadonlyMap<number, Payload>): void {
  let newest: Position | null = null;
  for (const entry of entries) {
    const { after } = payloads.get(entry.sequence) as CompliancePayload;
    if (after?.sequence !== newest?.sequence || after?.chainHash !== newest?.chainHash)
      throw new BrokenFold(entry.sequence, 'after is not the newest earlier entry');
    newest = positionOf(entry);
  }
}

function positionOf({ sequence, chainHash }: Position): Position {
  return { sequence, chainHash };
}
