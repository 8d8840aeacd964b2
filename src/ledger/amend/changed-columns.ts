// What an amendment changes on its trace: the resulting values, as a pure function of the entry (ledger.md, amendments).
import type {
  CorrectionPayload,
  ErasurePayload,
  ReviewPayload,
  StatusPayload,
} from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';

type AnyAmendment = CorrectionPayload | ReviewPayload | StatusPayload | ErasurePayload;

/** Values by path; a path that is not named stays as it is. */
export interface ChangedColumns {
  /** The sequence of the entry that ingested the decision. */
  subject: number;
  set: Record<string, unknown>;
  /** Committed values that other amendments of the same decision hold and must lose, by their sequence. */
  elsewhere: { sequence: number; set: Record<string, null> }[];
}

/** Committed values that a trace repeats as plain columns, for lists and full-text search. */
const SEARCHED = new Set(['rationale', 'triggeringCondition']);
/** Committed values of a correction that describe the verdict and replace nothing. */
const ABOUT_THE_VERDICT = new Set(['feedback']);
const AMENDMENT_KINDS = new Set(['correction', 'review', 'status', 'erasure']);

interface SealedPayload {
  sealed?: Record<string, { text: string } | null>;
}

/** By name: the sequence of the newest correction that replaced a value before an erasure. */
export type ColumnSources = ReadonlyMap<string, number>;

/** Null for entries that change no trace. `sources` is read for erasures only. */
export function projectionOf(entry: Stored, sources: ColumnSources): ChangedColumns | null {
  if (!AMENDMENT_KINDS.has(entry.kind)) return null;
  const payload = JSON.parse(entry.view) as AnyAmendment;
  const subject = payload.subject.sequence;
  const set = { foldedTo: entry.sequence };
  if (payload.kind !== 'erasure') {
    return {
      subject,
      set: { ...set, ...changesOf(payload), ...detailsOf(payload, entry) },
      elsewhere: [],
    };
  }
  return {
    subject,
    set: { ...set, ...erasureMarks(payload, entry), ...erasedValues(payload, sources) },
    elsewhere: erasedElsewhere(payload),
  };
}

/** Which correction each replaced value comes from, the newest one winning. */
export function sourcesOf(
  corrections: readonly Pick<Stored, 'sequence' | 'view'>[],
): ColumnSources {
  const sources = new Map<string, number>();
  for (const { sequence, view } of corrections) {
    for (const name of Object.keys((JSON.parse(view) as CorrectionPayload).commitments))
      sources.set(name, sequence);
  }
  return sources;
}

function changesOf({ set }: Exclude<AnyAmendment, ErasurePayload>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null));
}

function detailsOf(
  payload: Exclude<AnyAmendment, ErasurePayload>,
  entry: Stored,
): Record<string, unknown> {
  if (payload.kind === 'correction') return replacedValues(entry as SealedPayload);
  if (payload.kind === 'status') return {};
  return {
    'review.status': payload.decision === 'approve' ? 'approved' : 'rejected',
    'review.decidedAt': entry.createdAt,
    'review.decidedBy': payload.actor.id,
  };
}

/** The committed values with which a correction replaces the ingested ones. */
function replacedValues({ sealed = {} }: SealedPayload): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sealed)) {
    if (value === null || ABOUT_THE_VERDICT.has(name)) continue;
    set[`changed.${name}`] = value.text;
    if (SEARCHED.has(name)) set[name] = JSON.parse(value.text);
  }
  return set;
}

function erasureMarks({ cause }: ErasurePayload, { createdAt }: Stored): Record<string, Date> {
  const isDeletion = cause === 'bulk-delete' || cause === 'purge';
  return { erasedAt: createdAt, ...(isDeletion ? { deletedAt: createdAt } : {}) };
}

/** Erased values lose their text; a value in force also loses its copies. */
function erasedValues(payload: ErasurePayload, sources: ColumnSources): Record<string, null> {
  const subject = payload.subject.sequence;
  const set: Record<string, null> = {};
  for (const { sequence, names } of payload.erased) {
    for (const name of names) {
      const isInForce = (sources.get(name) ?? subject) === sequence;
      if (sequence === subject) set[`sealed.${name}`] = null;
      else if (isInForce) set[`changed.${name}`] = null;
      if (isInForce && SEARCHED.has(name)) set[name] = null;
    }
  }
  return set;
}

function erasedElsewhere(payload: ErasurePayload): ChangedColumns['elsewhere'] {
  return payload.erased
    .filter(({ sequence }) => sequence !== payload.subject.sequence)
    .map(({ sequence, names }) => ({
      sequence,
      set: Object.fromEntries(names.map((name) => [`sealed.${name}`, null])),
    }));
}
