// What a later fact changes on the trace it is about: resulting values, as a pure function of the entry (ledger.md, later facts).
import type {
  CorrectionPayload,
  ErasurePayload,
  ReviewPayload,
  StatusPayload,
} from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';

type LaterFactView = CorrectionPayload | ReviewPayload | StatusPayload | ErasurePayload;

/** Values by path; what is not named stays as it is. */
export interface ChangedColumns {
  /** The sequence of the entry that ingested the decision. */
  subject: number;
  set: Record<string, unknown>;
  /** Payload that other later facts about the same decision hold and must lose, by their sequence. */
  elsewhere: { sequence: number; set: Record<string, null> }[];
}

/** Payload members that a trace also holds as plain values, for lists and full-text search. */
const SEARCHED = new Set(['rationale', 'triggeringCondition']);
/** Payload of a correction that describes the verdict and replaces nothing. */
const ABOUT_THE_VERDICT = new Set(['feedback']);
const LATER_FACTS = new Set(['correction', 'review', 'status', 'erasure']);

interface SealedPayload {
  sealed?: Record<string, { text: string } | null>;
}

/** By name: the sequence of the newest correction that replaced it before an erasure. */
export type ColumnSources = ReadonlyMap<string, number>;

/** Null for entries that change no trace. `sources` is asked for erasures only. */
export function projectionOf(entry: Stored, sources: ColumnSources): ChangedColumns | null {
  if (!LATER_FACTS.has(entry.kind)) return null;
  const view = JSON.parse(entry.view) as LaterFactView;
  const subject = view.subject.sequence;
  const set = { foldedTo: entry.sequence };
  if (view.kind !== 'erasure') {
    return { subject, set: { ...set, ...change(view), ...details(view, entry) }, elsewhere: [] };
  }
  return {
    subject,
    set: { ...set, ...marks(view, entry), ...nulled(view, sources) },
    elsewhere: lost(view),
  };
}

/** What corrections replaced, the newest last. */
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

function change({ set }: Exclude<LaterFactView, ErasurePayload>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== null));
}

function details(
  view: Exclude<LaterFactView, ErasurePayload>,
  entry: Stored,
): Record<string, unknown> {
  if (view.kind === 'correction') return replaced(entry as SealedPayload);
  if (view.kind === 'status') return {};
  return {
    'review.status': view.decision === 'approve' ? 'approved' : 'rejected',
    'review.decidedAt': entry.createdAt,
    'review.decidedBy': view.actor.id,
  };
}

/** The payload values that a correction puts in the place of the ingested ones. */
function replaced({ sealed = {} }: SealedPayload): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [name, payload] of Object.entries(sealed)) {
    if (payload === null || ABOUT_THE_VERDICT.has(name)) continue;
    set[`changed.${name}`] = payload.text;
    if (SEARCHED.has(name)) set[name] = JSON.parse(payload.text);
  }
  return set;
}

function marks({ cause }: ErasurePayload, { createdAt }: Stored): Record<string, Date> {
  const deleted = cause === 'bulk-delete' || cause === 'purge';
  return { erasedAt: createdAt, ...(deleted ? { deletedAt: createdAt } : {}) };
}

/** Erased values lose their text; the value in force also loses its copies. */
function nulled(view: ErasurePayload, sources: ColumnSources): Record<string, null> {
  const subject = view.subject.sequence;
  const set: Record<string, null> = {};
  for (const { sequence, names } of view.erased) {
    for (const name of names) {
      const inForce = (sources.get(name) ?? subject) === sequence;
      if (sequence === subject) set[`sealed.${name}`] = null;
      else if (inForce) set[`changed.${name}`] = null;
      if (inForce && SEARCHED.has(name)) set[name] = null;
    }
  }
  return set;
}

function lost(view: ErasurePayload): ChangedColumns['elsewhere'] {
  return view.erased
    .filter(({ sequence }) => sequence !== view.subject.sequence)
    .map(({ sequence, names }) => ({
      sequence,
      set: Object.fromEntries(names.map((name) => [`sealed.${name}`, null])),
    }));
}
