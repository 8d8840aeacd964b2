// Computes what an amendment changes on its trace, as a pure function of the entry (ledger.md, amendments).
import type {
  CorrectionPayload,
  ErasurePayload,
  TracePayload,
} from '../../domain/record/payload.ts';
import { CAPABILITY } from '../../domain/record/persons-verdict.ts';
import { type AmendmentPayload, isAmendmentKind } from '../../domain/record/trace-state.ts';
import type { Columns } from '../columns.ts';
import { parseStoredText } from '../verify/committed-values.ts';
import { KEYLESS } from '../contents/contents.ts';
import { getCommittedValues, type CommittedValues, type Stored } from '../entry.ts';

/** Values by path; a path that is not named stays as it is. */
export interface Projection {
  /** The sequence of the entry that ingested the decision. */
  subject: number;
  set: Record<string, unknown>;
  /** Columns that could be derived from an erased value only; the erasure removes them. */
  lostColumns: readonly string[];
  /** Copies of erased values in other amendments of the same decision, by their sequence. */
  erasedCopies: { sequence: number; set: Record<string, null> }[];
}

/** Committed values of a correction that describe the verdict and replace nothing. */
const ABOUT_THE_VERDICT = new Set(['feedback', CAPABILITY]);

/** Sequence of the newest correction that replaced a value before an erasure, by the value's name. */
export type ValueSources = ReadonlyMap<string, number>;

/** The state of the decision that an erasure is projected on. */
export interface ErasureContext {
  trace: Stored | null;
  sources: ValueSources;
}

/** Projects an amendment onto its trace; null for entries that change no trace. Only erasures need the context. */
export function projectAmendment(
  entry: Stored,
  columns: Columns,
  { trace, sources }: ErasureContext,
): Projection | null {
  if (!isAmendmentKind(entry.kind)) return null;
  const payload = JSON.parse(entry.view) as AmendmentPayload;
  const set: Record<string, unknown> = { foldedTo: entry.sequence };
  for (const [path, column] of columns.amended) {
    const value = column.change({ payload, createdAt: entry.createdAt });
    if (value !== undefined) set[path] = value;
  }
  if (payload.kind === 'correction')
    Object.assign(set, collectReplacedValues(getCommittedValues(entry)));
  if (payload.kind === 'erasure') Object.assign(set, collectErasedValues(payload, sources));
  const erasedCopies = payload.kind === 'erasure' ? collectErasedCopies(payload) : [];
  const lostColumns =
    payload.kind === 'erasure' && trace ? findLostColumns(payload, trace, columns) : [];
  return { subject: payload.subject.sequence, set, lostColumns, erasedCopies };
}

/** Maps each replaced value to the newest correction that set it. `corrections` MUST be in order of sequence. */
export function collectValueSources(
  corrections: readonly Pick<Stored, 'sequence' | 'view'>[],
): ValueSources {
  const sources = new Map<string, number>();
  for (const { sequence, view } of corrections) {
    for (const name of Object.keys((JSON.parse(view) as CorrectionPayload).commitments))
      sources.set(name, sequence);
  }
  for (const name of ABOUT_THE_VERDICT) sources.delete(name);
  return sources;
}

/** Collects the committed values with which a correction replaces the ingested ones, by path. */
function collectReplacedValues(sealed: CommittedValues): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sealed)) {
    if (!value || ABOUT_THE_VERDICT.has(name)) continue;
    set[`changed.${name}`] = value.text;
  }
  return set;
}

/** Collects the paths of erased values: the sealed value, and the replaced value while it is in force. */
function collectErasedValues(payload: ErasurePayload, sources: ValueSources): Record<string, null> {
  const subject = payload.subject.sequence;
  const set: Record<string, null> = {};
  for (const { sequence, names } of payload.erased) {
    for (const name of names) {
      const isInForce = (sources.get(name) ?? subject) === sequence;
      if (sequence === subject) set[`sealed.${name}`] = null;
      else if (isInForce) set[`changed.${name}`] = null;
    }
  }
  return set;
}

/** Finds the columns that an erasure removes. */
function findLostColumns(payload: ErasurePayload, trace: Stored, columns: Columns): string[] {
  return KEYLESS in trace
    ? findEmptiedColumns(trace, columns)
    : findUnderivableColumns(payload, trace, columns);
}

/** Finds the fixed columns that can no longer be derived, such as a free-text agent; none if the view is unreadable. */
function findUnderivableColumns(
  { erased }: ErasurePayload,
  trace: Stored,
  columns: Columns,
): string[] {
  const erasedNames = erased.find(({ sequence }) => sequence === trace.sequence)?.names ?? [];
  const payload = parseStoredText(trace.view) as TracePayload | undefined;
  if (payload?.kind !== 'trace') return [];
  const sealed = getCommittedValues(trace);
  const listDerivedColumns = (isKept: (name: string) => boolean): string[] => {
    const value = <V>(name: string): V | undefined =>
      isKept(name)
        ? ((parseStoredText(sealed[name]?.text) ?? undefined) as V | undefined)
        : undefined;
    const source = { entry: trace, payload, value };
    return columns.fixed.flatMap(([name, { from }]) => (from(source) === undefined ? [] : [name]));
  };
  const remaining = listDerivedColumns((name) => !erasedNames.includes(name));
  return listDerivedColumns(() => true).filter((name) => !remaining.includes(name));
}

/** Finds the columns that are empty after the erasure, where the key is gone and the values cannot be read. */
export function findEmptiedColumns(trace: Stored, columns: Columns): string[] {
  const payload = parseStoredText(trace.view) as TracePayload | undefined;
  if (payload?.kind !== 'trace') return [];
  const sealed = getCommittedValues(trace);
  const value = <V>(name: string): V | null =>
    (parseStoredText(sealed[name]?.text) ?? null) as V | null;
  const isEmptied = (name: string, from: (source: object) => unknown): boolean =>
    (trace[name] ?? null) !== null && from({ entry: trace, payload, value }) === null;
  return columns.fixed.flatMap(([name, { from }]) =>
    isEmptied(name, from as (source: object) => unknown) ? [name] : [],
  );
}

function collectErasedCopies(payload: ErasurePayload): Projection['erasedCopies'] {
  return payload.erased
    .filter(({ sequence }) => sequence !== payload.subject.sequence)
    .map(({ sequence, names }) => ({
      sequence,
      set: Object.fromEntries(names.map((name) => [`sealed.${name}`, null])),
    }));
}
