// Finds the entries that are steps of a session: its decisions, what follows about them, their children, its halts.
import { toHaltName } from '../../../../domain/halt/halt.ts';
import type { Context } from '../../../../platform/context.ts';
import { READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import { FOLLOWED_DECISIONS } from './agent-sessions.schemas.ts';
import { filterKept, type NamedSession } from './session-members.service.ts';
import { deriveHaltTarget } from './session-summary.service.ts';
import type { PlacedStep } from './session-steps.view.ts';

/** A part of the chain that is read as a whole, rather than all decisions of a long session. */
const NEAR_ENTRIES = 5000;

/** The entries that are nearest to one side of a place. */
export interface Side {
  range: { $gt: number; $lte: number };
  sort: { sequence: 1 | -1 };
  limit: number;
}

/** They come in the order in which they are read. */
export async function findStepPlaces(
  ctx: Context,
  session: NamedSession,
  side: Side,
): Promise<PlacedStep[]> {
  const decisions = await findDecisions(ctx, session.where, side);
  const within = narrowSide(side, decisions);
  const followed = await listFollowed(ctx, session, within);
  const target = deriveHaltTarget(ctx, session.named);
  const halted = target === null ? [] : [`halt:${toHaltName('session', target)}`];
  const [entries, children] = await Promise.all([
    findEntries(ctx, [...followed, ...halted], within),
    findChildren(ctx, followed, within),
  ]);
  return mergePlaces({ child: children, entry: entries, decision: decisions }, side);
}

/** Where the decisions alone fill the answer, what is beyond the last of them is not among its steps. */
function narrowSide(side: Side, decisions: readonly PlacedStep[]): Side {
  const last = decisions.length < side.limit ? undefined : decisions.at(-1);
  if (!last) return side;
  const { $gt, $lte } = side.range;
  const isForward = side.sort.sequence === 1;
  const range = isForward ? { $gt, $lte: last.sequence } : { $gt: last.sequence - 1, $lte };
  return { ...side, range };
}

/** A decision of the session is no child of it. */
function mergePlaces(
  all: Readonly<Record<PlacedStep['kind'], readonly PlacedStep[]>>,
  { sort, limit }: Side,
): PlacedStep[] {
  const found = new Map<number, PlacedStep>();
  for (const kind of ['child', 'entry', 'decision'] as const)
    for (const place of all[kind]) found.set(place.sequence, { ...place, kind });
  return [...found.values()]
    .sort((one, other) => (one.sequence - other.sequence) * sort.sequence)
    .slice(0, limit);
}

const toBounds = ({ sort, limit }: Side) => ({ sort, limit, maxTimeMS: READ_MAX_MS });

const PLACED = 'sequence verdict erasedAt';

function findDecisions(ctx: Context, where: object, side: Side): Promise<PlacedStep[]> {
  return ctx.platform.models.traces
    .find({ ...filterKept(ctx), ...where, sequence: side.range }, PLACED, toBounds(side))
    .lean<PlacedStep[]>();
}

/** The hint keeps the database from walking the chain. */
function findChildren(ctx: Context, parents: readonly string[], side: Side): Promise<PlacedStep[]> {
  const parentTraceId = { $in: [...parents], $type: 'string' } as const;
  return ctx.platform.models.traces
    .find({ ...filterKept(ctx), parentTraceId, sequence: side.range }, PLACED)
    .setOptions({ ...toBounds(side), hint: 'parent' })
    .lean<PlacedStep[]>();
}

/** Decisions of the session about which, or after which, something may come within the range. */
async function listFollowed(
  ctx: Context,
  { where }: NamedSession,
  { range }: Side,
): Promise<string[]> {
  const { organizationId } = ctx.tenant;
  const isNear = range.$lte - range.$gt <= NEAR_ENTRIES;
  const wanted = isNear
    ? { traceId: { $in: await listNamedWithin(ctx, range) } }
    : { sequence: { $lte: range.$lte } };
  const newest = { sort: { sequence: -1 }, limit: FOLLOWED_DECISIONS } as const;
  const found = await ctx.platform.models.traces
    .find({ organizationId, $and: [filterKept(ctx), where, wanted] }, 'traceId', newest)
    .maxTimeMS(READ_MAX_MS)
    .lean<{ traceId: string }[]>();
  return found.map(({ traceId }) => traceId);
}

/** Decisions that the entries of a part of the chain are about, or follow from. */
async function listNamedWithin(
  { platform, tenant: { organizationId } }: Context,
  sequence: Side['range'],
): Promise<string[]> {
  const found = await platform.models.ledger
    .find({ organizationId, sequence }, 'kind traceId parentTraceId')
    .maxTimeMS(READ_MAX_MS)
    .lean<{ kind: string; traceId: string | null; parentTraceId?: string | null }[]>();
  const named = found.map(({ kind, traceId, parentTraceId }) =>
    kind === 'trace' ? parentTraceId : traceId,
  );
  return [...new Set(named)].filter((traceId) => typeof traceId === 'string');
}

function findEntries(
  { platform, tenant: { organizationId } }: Context,
  about: readonly string[],
  side: Side,
): Promise<PlacedStep[]> {
  const where = { organizationId, traceId: { $in: about, $gt: '' }, sequence: side.range };
  return platform.models.ledger
    .find({ ...where, kind: { $ne: 'trace' } }, 'sequence', { ...toBounds(side), hint: 'subject' })
    .lean<PlacedStep[]>();
}
