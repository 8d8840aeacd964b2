// A decision as it stands against everything that was said about it: the fold, recomputed from the views of its entries.
import type { Position } from '../../domain/record/chain.ts';
import {
  beginFold,
  BrokenFold,
  foldEntry,
  type AmendmentPayload,
  type TraceState,
} from '../../domain/record/trace-state.ts';
import type {
  CompliancePayload,
  ErasurePayload,
  TracePayload,
  Payload,
} from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';
import { differences } from './columns.ts';
import type { Findings } from './report.ts';
import { sealedOf } from './values.ts';

/** A fact is shown on its decision before it is answered; after a crash a consumer does it, within this time. */
const LAG_MS = 60_000;

/** One decision or clause with everything stored about it, in the order of sequence; the first may be no ingestion. */
export interface History {
  entries: readonly Stored[];
  /** Values that the replay found gone. */
  gone: readonly { sequence: number; name: string }[];
  now: Date;
}

/** Folds a history and compares what is stored with it. */
export function checkHistory({ entries, gone, now }: History, findings: Findings): void {
  const erased = new Set(
    fold({ entries, now }, findings).map(({ sequence, name }) => `${sequence}.${name}`),
  );
  for (const { sequence, name } of gone) {
    if (erased.has(`${sequence}.${name}`)) findings.payload.erased++;
    else findings.missing(sequence, `sealed.${name}`);
  }
}

/** The values that were erased; a history that does not fold has none. */
function fold(
  { entries, now }: Pick<History, 'entries' | 'now'>,
  findings: Findings,
): TraceState['erased'] {
  try {
    const views = new Map(
      entries.map((entry) => [entry.sequence, JSON.parse(entry.view) as Payload]),
    );
    const [first, ...later] = entries;
    const view = first && views.get(first.sequence);
    if (!first || view === undefined) return [];
    if (view.kind === 'trace')
      return foldTrace({ trace: first, view, later, views, now }, findings).erased;
    if (view.kind !== 'compliance')
      throw new BrokenFold(first.sequence, 'there is no decision that it is about');
    checkClause(entries, views);
  } catch (error) {
    // An entry that cannot be read as what it is was found by the replay already.
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
  view: TracePayload;
  later: readonly Stored[];
  views: ReadonlyMap<number, Payload>;
  now: Date;
}

function foldTrace({ trace, view, later, views, now }: Decision, findings: Findings): TraceState {
  const foldedTo = Number(trace.foldedTo ?? 0) || trace.sequence;
  let standing = beginFold({ ...positionOf(trace), payload: view });
  let shown = foldedTo === trace.sequence ? standing : null;
  for (const entry of later) {
    standing = foldEntry(standing, {
      ...positionOf(entry),
      payload: views.get(entry.sequence) as AmendmentPayload,
    });
    if (entry.sequence === foldedTo) shown = standing;
  }
  const told = [trace, ...later].filter(({ sequence }) => sequence <= foldedTo);
  const isLate = later.some(
    ({ sequence, createdAt }) => sequence > foldedTo && isOverdue(createdAt, now),
  );
  if (!shown || isLate) findings.mismatch(trace.sequence, 'foldedTo');
  if (!shown) return standing;
  for (const field of differingState(trace, shown, { told, views }))
    findings.mismatch(trace.sequence, field);
  for (const { sequence, name } of shown.erased) {
    const holder = told.find((entry) => entry.sequence === sequence);
    if (holder && sealedOf(holder)[name]) findings.mismatch(sequence, `sealed.${name}`);
  }
  return standing;
}

function isOverdue(createdAt: Date, now: Date): boolean {
  return createdAt.getTime() < now.getTime() - LAG_MS;
}

/** The entries that the stored decision shows, and their views. */
interface Told {
  told: readonly Stored[];
  views: ReadonlyMap<number, Payload>;
}

/** The columns of a decision that differ from where the fold stands. */
export function differingState(
  trace: Stored,
  standing: TraceState,
  { told, views }: Told,
): string[] {
  const texts = new Map(told.map((entry) => [entry.sequence, sealedOf(entry)]));
  const textOf = (name: string): string | null | undefined => {
    const field = standing.fields[name];
    if (field?.state !== 'stored') return null;
    return texts.get(field.sequence)?.[name]?.text;
  };
  const erasures = told.filter(({ kind }) => kind === 'erasure');
  const deletions = erasures.filter(({ sequence }) =>
    isDeletion(views.get(sequence) as ErasurePayload),
  );
  const differing = differences(trace, {
    status: standing.status,
    humanOverride: standing.humanOverride ?? false,
    rationale: parsed(textOf('rationale')),
    triggeringCondition: parsed(textOf('triggeringCondition')),
    erasedAt: erasures.at(-1)?.createdAt ?? null,
    deletedAt: deletions.at(-1)?.createdAt ?? null,
  });
  const changed = (trace.changed ?? {}) as Readonly<Record<string, unknown>>;
  const replaced = Object.entries(standing.fields).filter(
    ([, field]) => field.sequence !== trace.sequence,
  );
  const expected = Object.fromEntries(replaced.map(([name]) => [name, textOf(name)]));
  const foreign = Object.keys(changed).filter(
    (name) => changed[name] !== null && !Object.hasOwn(expected, name),
  );
  return [
    ...differing,
    ...[...differences(changed, expected), ...foreign].map((name) => `changed.${name}`),
    ...differingReview(trace, standing, { told, views }),
  ];
}

function differingReview(trace: Stored, { review }: TraceState, { told, views }: Told): string[] {
  const item = trace.review as Readonly<Record<string, unknown>> | null | undefined;
  if (!item) return trace.verdict === 'flagged' ? ['review'] : [];
  if (trace.verdict !== 'flagged') return ['review'];
  const verdict = told.find(({ sequence }) => sequence === review?.sequence);
  const reviewer = verdict && views.get(verdict.sequence)?.actor.id;
  const shown = { ...item, decidedBy: item.decidedBy == null ? null : String(item.decidedBy) };
  return differences(shown, {
    status: review ? (review.decision === 'approve' ? 'approved' : 'rejected') : 'pending',
    decidedAt: verdict?.createdAt ?? null,
    decidedBy: reviewer ?? null,
  }).map((name) => `review.${name}`);
}

function isDeletion({ cause }: ErasurePayload): boolean {
  return cause === 'bulk-delete' || cause === 'purge';
}

/** Attestations of a clause follow one another; nothing is folded. */
function checkClause(entries: readonly Stored[], views: ReadonlyMap<number, Payload>): void {
  let newest: Position | null = null;
  for (const entry of entries) {
    const { after } = views.get(entry.sequence) as CompliancePayload;
    if (after?.sequence !== newest?.sequence || after?.chainHash !== newest?.chainHash)
      throw new BrokenFold(entry.sequence, 'after is not the newest earlier entry');
    newest = positionOf(entry);
  }
}

function positionOf({ sequence, chainHash }: Position): Position {
  return { sequence, chainHash };
}

/** The value of a text; undefined when there ought to be one and it is not kept. */
function parsed(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
