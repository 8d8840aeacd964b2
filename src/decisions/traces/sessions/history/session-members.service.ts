// Finds the session that a decision belongs to: which decisions are of it.
import type { Context } from '../../../../platform/context.ts';
import { createVisibilityFilter } from '../../../../domain/identity/visible-decisions.ts';
import { AppError } from '../../../../errors.ts';
import { isSequence } from '../../../../ledger/chains.ts';
import { findOr404 } from '../../../../platform/mongo/queries.ts';
import { toNameFilter } from '../../trace-names.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { listUnnamed } from './unnamed-sessions.service.ts';

/** Where a decision stands. */
export type PlacedTrace = Pick<
  TraceDocument,
  | 'traceId'
  | 'sequence'
  | 'createdAt'
  | 'workspaceId'
  | 'agentId'
  | 'agentName'
  | 'answer'
  | 'sessionId'
  | 'parentTraceId'
  | 'session'
>;
export const PLACED_MEMBERS =
  'traceId sequence createdAt workspaceId agentId agentName answer sessionId parentTraceId session.key';

/** The decisions of one session, as a filter. */
export interface SessionMembers {
  where: Readonly<Record<string, unknown>>;
  /** That of its register; null: decisions were judged without one. */
  key: string | null;
}

/** A session, and the decision by which it was asked for. */
export interface NamedSession extends SessionMembers {
  named: TraceDocument;
}

/** @throws AppError `NOT_FOUND` */
export async function findNamedSession(ctx: Context, name: string): Promise<NamedSession> {
  const { platform, tenant } = ctx;
  const where = { ...filterVisible(ctx), ...toNameFilter(name) };
  const members = `${PLACED_MEMBERS} sealed.state sealed.inputContext content generation`;
  const found = await findOr404(
    platform.models.traces.findOne(where, members).lean<TraceDocument>(),
  );
  if (!isSequence(found.sequence)) throw new AppError('NOT_FOUND');
  const named = await platform.contents.decryptOne(tenant.organizationId, found);
  return { named, ...(selectMembers(named) ?? (await findUnnamed(ctx, named))) };
}

type Visible = ReturnType<typeof createVisibilityFilter> & { organizationId: string };

/** The visible decisions of the caller's organisation. */
export const filterVisible = ({ tenant }: Pick<Context, 'tenant'>): Visible => ({
  ...createVisibilityFilter(tenant),
  organizationId: tenant.organizationId,
});

/** The same with erased ones, which stay steps of their session: what it did depends on them. */
export function filterKept(ctx: Pick<Context, 'tenant'>): Omit<Visible, 'deletedAt'> {
  const { deletedAt: _, ...kept } = filterVisible(ctx);
  return kept;
}

/** Those of the register, else those of the same agent with the same id; null: the decision has neither. */
export function selectMembers({
  session,
  sessionId,
  workspaceId,
  agentId,
}: Pick<PlacedTrace, 'session' | 'sessionId' | 'workspaceId' | 'agentId'>): SessionMembers | null {
  if (session) return { key: session.key, where: { 'session.key': session.key } };
  if (typeof sessionId !== 'string') return null;
  return { key: null, where: { sessionId, workspaceId, agentId, 'session.key': null } };
}

/** Decisions of the agent that name no session. */
async function findUnnamed(ctx: Context, named: TraceDocument): Promise<SessionMembers> {
  const { workspaceId, agentId } = named;
  const nameless = { workspaceId, agentId, sessionId: null, 'session.key': null };
  const alike = { ...filterVisible(ctx), ...nameless };
  return { key: null, where: { traceId: { $in: await listUnnamed(ctx, { alike, named }) } } };
}
