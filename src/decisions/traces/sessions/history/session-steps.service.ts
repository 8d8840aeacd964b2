// Reads what happened in a session, step by step, in the order of the chain.
import type { Context } from '../../../../platform/context.ts';
import { READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import { loadReadScrubber } from '../../scrubbing/read-scrubbers.service.ts';
import { readTracePage } from '../../trace-pages.ts';
import type { TraceView } from '../../traces.view.ts';
import type { SessionStep, SessionSteps, StepsQuery } from './agent-sessions.schemas.ts';
import { findNamedSession } from './session-members.service.ts';
import {
  type EntryOfStep,
  type PlacedStep,
  toDecisionStep,
  toEntryStep,
} from './session-steps.view.ts';
import { findStepPlaces, type Side } from './step-places.service.ts';

interface Rendered {
  steps: SessionStep[];
  /** There are more than these on the side that was read. */
  isFull: boolean;
}

/** @throws AppError `NOT_FOUND` */
export async function loadSessionSteps(
  ctx: Context,
  name: string,
  { before, after, limit }: StepsQuery,
): Promise<SessionSteps> {
  const session = await findNamedSession(ctx, name);
  const { organizationId } = ctx.tenant;
  const head = (await ctx.platform.ledger.appender.readHead(organizationId))?.sequence ?? 0;
  const range = { $gt: after ?? 0, $lte: Math.min((before ?? head + 1) - 1, head) };
  const sort = { sequence: after === undefined ? -1 : 1 } as const;
  const side: Side = { range, sort, limit };
  const rendered = await renderSteps(ctx, await findStepPlaces(ctx, session, side), side);
  return after === undefined
    ? toEarlierPage(rendered, { before, head })
    : toLaterPage(rendered, { after, head });
}

const toEarlierPage = (
  { steps, isFull }: Rendered,
  { before, head }: { before: number | undefined; head: number },
): SessionSteps => ({
  steps,
  before: isFull ? (steps[0]?.sequence ?? null) : null,
  after: before === undefined ? head : before - 1,
  isLast: before === undefined,
});

const toLaterPage = (
  { steps, isFull }: Rendered,
  { after, head }: { after: number; head: number },
): SessionSteps => ({
  steps,
  before: null,
  after: isFull ? (steps.at(-1)?.sequence ?? after) : Math.max(head, after),
  isLast: !isFull,
});

/** The order is that of the chain. Decisions may be large: an answer ends before those that are too much for it. */
async function renderSteps(
  ctx: Context,
  places: readonly PlacedStep[],
  side: Side,
): Promise<Rendered> {
  const views = await readViews(ctx, places, side);
  const omitted = views.findIndex(({ payloadOmitted }, at) => payloadOmitted && at > 0);
  const end = views[omitted]?.hashChain.sequence;
  const isKept = ({ sequence }: PlacedStep): boolean =>
    end === undefined || (sequence - end) * side.sort.sequence < 0;
  const kept = places.filter(isKept);
  const shown = new Map(views.map((view) => [view.hashChain.sequence, view]));
  const others = await loadEntries(ctx, kept);
  const steps = kept.flatMap((place) => {
    const view = shown.get(place.sequence);
    return view ? [toDecisionStep(view, place)] : (others.get(place.sequence) ?? []);
  });
  return {
    steps: steps.sort((one, other) => one.sequence - other.sequence),
    isFull: end !== undefined || places.length === side.limit,
  };
}

async function readViews(
  { platform, tenant: { organizationId, signal } }: Context,
  places: readonly PlacedStep[],
  { sort, limit }: Side,
): Promise<TraceView[]> {
  const $in = places.filter(({ kind }) => kind !== 'entry').map(({ sequence }) => sequence);
  if ($in.length === 0) return [];
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const reading = { page: { skip: 0, limit }, scrubberOf, signal, sort };
  return readTracePage(platform, { organizationId, sequence: { $in } }, reading);
}

/** Kinds whose words are shown; those of the others may be large. */
const WITH_WORDS = ['review', 'vote', 'execution', 'halt'];
const MEMBERS = 'sequence kind traceId createdAt view';

async function loadEntries(
  { platform, tenant: { organizationId } }: Context,
  places: readonly PlacedStep[],
): Promise<ReadonlyMap<number, SessionStep>> {
  const $in = places.filter(({ kind }) => kind === 'entry').map(({ sequence }) => sequence);
  if ($in.length === 0) return new Map();
  const read = (kind: object, fields: string) =>
    platform.models.ledger
      .find({ organizationId, sequence: { $in }, kind }, fields, { maxTimeMS: READ_MAX_MS })
      .lean<EntryOfStep[]>();
  const [spoken, silent] = await Promise.all([
    read({ $in: WITH_WORDS }, `${MEMBERS} sealed content generation`),
    read({ $nin: WITH_WORDS }, MEMBERS),
  ]);
  const opened = await platform.contents.decryptDocuments(organizationId, spoken);
  const steps = [...opened, ...silent].flatMap((entry) => toEntryStep(entry) ?? []);
  return new Map(steps.map((step) => [step.sequence, step]));
}
