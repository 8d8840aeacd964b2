// One session: what it is, and what the decision that names it was judged on.
import { readCommittedState } from '../../../../domain/record/committed-state.ts';
import type { Context } from '../../../../platform/context.ts';
import { READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { COUNTED_ALONE, type SessionDetail } from './agent-sessions.schemas.ts';
import { filterVisible, findNamedSession, type NamedSession } from './session-members.service.ts';
import { loadSessionHalts, buildSessionSummary, toStateView } from './session-summary.service.ts';

/** @throws AppError `NOT_FOUND` */
export async function loadSession(ctx: Context, name: string): Promise<SessionDetail> {
  const session = await findNamedSession(ctx, name);
  const { named } = session;
  const halts = await loadSessionHalts(ctx);
  const bounds = { halts, countMax: COUNTED_ALONE };
  return {
    ...(await buildSessionSummary(ctx, { ...session, placed: named }, bounds)),
    judgedOn: toJudgedOn(named),
    parent: await findParent(ctx, session),
  };
}

function toJudgedOn({ sealed }: TraceDocument): SessionDetail['judgedOn'] {
  const { n, before } = readCommittedState(sealed).session ?? {};
  return before ? { n: n ?? null, state: toStateView(before) } : null;
}

/** The decision before it, where the caller may see it. */
async function findParent(
  ctx: Context,
  { named, where }: NamedSession,
): Promise<SessionDetail['parent']> {
  const { parentTraceId: traceId } = named;
  if (typeof traceId !== 'string') return null;
  const parent = { ...filterVisible(ctx), traceId };
  const { traces } = ctx.platform.models;
  if (!(await traces.exists(parent))) return null;
  const within = { organizationId: parent.organizationId, $and: [parent, where] };
  return { traceId, isOther: !(await traces.exists(within)) };
}

/** The newest decisions of a session, as places in the chain. */
export interface SessionDecisions extends Pick<TraceDocument, 'traceId' | 'workspaceId'> {
  agentId: string | null;
  sequences: number[];
  /** Null: there are no earlier ones. */
  before: number | null;
}

/** @throws AppError `NOT_FOUND` */
export async function listSessionDecisions(
  ctx: Context,
  name: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<SessionDecisions> {
  const { named, where } = await findNamedSession(ctx, name);
  const { traceId, workspaceId, agentId } = named;
  const within = before === undefined ? {} : { sequence: { $lt: before } };
  const found = await ctx.platform.models.traces
    .find({ ...filterVisible(ctx), ...where, ...within }, 'sequence')
    .sort({ sequence: -1 })
    .limit(limit)
    .maxTimeMS(READ_MAX_MS)
    .lean<Pick<TraceDocument, 'sequence'>[]>();
  const sequences = found.map(({ sequence }) => sequence);
  const last = sequences.length === limit ? sequences.at(-1) : undefined;
  return { traceId, workspaceId, agentId, sequences, before: last ?? null };
}
