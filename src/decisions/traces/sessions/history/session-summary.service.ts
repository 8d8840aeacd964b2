// Sums a session up: its decisions, what its register says of it, and whether it is halted.
import { deriveSessionName } from '../../../../domain/halt/session-key.ts';
import { isBinding } from '../../../../domain/halt/halt.ts';
import { joinStops, type Stop } from '../../../../domain/halt/stops.ts';
import type { SessionState } from '@assay/policy';
import { toObjectId } from '../../../../ledger/ledger.model.ts';
import type { Context } from '../../../../platform/context.ts';
import { countWhere, READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import type { AgentSession, SessionStateView } from './agent-sessions.schemas.ts';
import { filterKept, type PlacedTrace, type SessionMembers } from './session-members.service.ts';

/** A session with its newest decision, or the one by which it was asked for. */
export interface PlacedSession extends SessionMembers {
  placed: Pick<
    PlacedTrace,
    'traceId' | 'workspaceId' | 'agentId' | 'agentName' | 'answer' | 'sessionId'
  >;
}

/** Halts of sessions that bind, by their targets. */
export type SessionHalts = ReadonlyMap<string, Stop>;

interface Counts {
  decisions: number;
  held: number;
  blocked: number;
  lastSeenAt: Date;
}

export async function loadSessionHalts({ platform, tenant }: Context): Promise<SessionHalts> {
  const records = await platform.ledger.halts.listRecords(tenant.organizationId);
  const binding = joinStops(records).filter((stop) => stop.scope === 'session' && isBinding(stop));
  return new Map(binding.map((stop) => [stop.target, stop]));
}

/** The target that a halt of the session has; null: it has no name by which it could be halted. */
export function deriveHaltTarget(
  { platform, tenant }: Context,
  { workspaceId, agentId, answer, sessionId }: PlacedSession['placed'],
): string | null {
  if (typeof sessionId !== 'string') return null;
  const place = { workspaceId, agent: answer?.agentMark ?? agentId, sessionId };
  return deriveSessionName(platform.secrets.ledgerKey, tenant.organizationId, place);
}

/** `countMax`: how many of the newest decisions are counted. */
export async function buildSessionSummary(
  ctx: Context,
  session: PlacedSession,
  { halts, countMax }: { halts: SessionHalts; countMax: number },
): Promise<AgentSession & { state: SessionStateView | null }> {
  const { placed } = session;
  const [counts, beganAt, state] = await Promise.all([
    countDecisions(ctx, session, countMax),
    findBeginning(ctx, session),
    readState(ctx, session),
  ]);
  const { decisions, ...others } = counts;
  return {
    ...toPlace(placed),
    ...others,
    ...toHalted(deriveHaltTarget(ctx, placed), halts),
    decisions: Math.min(decisions, countMax),
    hasMore: decisions > countMax,
    labels: Object.keys(state?.labels ?? {}),
    beganAt,
    state: state && toStateView(state),
  };
}

const toPlace = ({
  traceId,
  sessionId = null,
  agentId,
  agentName,
  workspaceId,
}: PlacedSession['placed']) => ({ traceId, sessionId, agentId, agentName, workspaceId });

function toHalted(target: string | null, halts: SessionHalts) {
  const stop = target === null ? undefined : halts.get(target);
  const mayBeHalted = target !== null;
  if (!stop) return { halt: null, mayBeHalted };
  const { id, state, since } = stop;
  return { halt: { id, state, since, reason: findReason(stop) }, mayBeHalted };
}

const findReason = ({ history }: Stop): string | null =>
  history.findLast(({ reason }) => reason !== null)?.reason ?? null;

async function countDecisions(
  ctx: Context,
  { where }: SessionMembers,
  countMax: number,
): Promise<Counts> {
  const visible = { ...filterKept(ctx), organizationId: toObjectId(ctx.tenant.organizationId) };
  const [counted] = await ctx.platform.models.traces.aggregate<Counts>(
    [
      { $match: { ...visible, kind: 'trace', ...where } },
      { $sort: { sequence: -1 } },
      { $limit: countMax + 1 },
      { $project: { createdAt: 1, status: 1, review: '$review.status' } },
      {
        $group: {
          _id: null,
          decisions: { $sum: 1 },
          held: countWhere('$review', 'pending'),
          blocked: countWhere('$status', 'blocked'),
          lastSeenAt: { $max: '$createdAt' },
        },
      },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  return counted ?? { decisions: 0, held: 0, blocked: 0, lastSeenAt: ctx.platform.clock.now() };
}

async function findBeginning(ctx: Context, { where }: SessionMembers): Promise<Date> {
  const first = await ctx.platform.models.traces
    .findOne({ ...filterKept(ctx), ...where }, 'createdAt')
    .sort({ sequence: 1 })
    .maxTimeMS(READ_MAX_MS)
    .lean<Pick<PlacedTrace, 'createdAt'>>();
  return first?.createdAt ?? ctx.platform.clock.now();
}

/** As its newest entry leaves it; null: nothing is known of what it did. */
async function readState(
  { platform, tenant }: Context,
  { key }: SessionMembers,
): Promise<SessionState | null> {
  if (key === null) return null;
  return (await platform.ledger.sessions.readNewest(tenant.organizationId, key))?.state ?? null;
}

export const toStateView = (state: SessionState): SessionStateView => ({
  labels: Object.entries(state.labels).map(([label, traceId]) => ({ label, traceId })),
  counts: Object.entries(state.counts).map(([effect, times]) => ({ effect, times })),
  acts: state.acts,
  blocked: state.blocked,
  last: [...state.last],
  steps: [...state.steps],
  began: new Date(state.began),
  seen: new Date(state.seen),
});
