// Finds what is to be halted, and names it as people call it.
import { findMailbox } from '../../identity/auth/accounts/account-reader.service.ts';
import { findMembership } from '../../identity/organization/memberships/memberships.service.ts';
import { listWorkspaces } from '../../identity/organization/workspaces/workspaces.service.ts';
import { resolveAgent } from '../../identity/agents/agent-resolver.service.ts';
import type { HaltScope, HaltedSession } from '../../domain/halt/halt.ts';
import { createSessionKeys } from '../../domain/halt/session-key.ts';
import { AppError } from '../../errors.ts';
import { deriveAgentMark } from '../../domain/agents/agent-mark.ts';
import { type PlacedDecision, toActPlace } from '../../domain/halt/act.ts';
import { loadStoredDecision } from '../../decisions/traces/decision-lookup.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { Context } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';

export interface HaltTarget {
  target: string;
  name: string;
  /** What the session is, where one is halted. */
  session?: HaltedSession;
}

type Finder = (ctx: Context, named: string) => Promise<HaltTarget>;

const ID = /^[0-9a-f]{24}$/;

const finders: Readonly<Record<HaltScope, Finder>> = {
  organization: ({ tenant }) =>
    Promise.resolve({ target: tenant.organizationId, name: 'Everything' }),
  agent: findAgent,
  workspace: findWorkspace,
  person: findPerson,
  session: findSession,
};

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `VALIDATION_ERROR` */
export function findTarget(
  ctx: Context,
  { scope, target }: { scope: HaltScope; target?: string | undefined },
): Promise<HaltTarget> {
  if (scope !== 'organization' && target === undefined)
    throw new AppError('VALIDATION_ERROR', `target: required for the scope ${scope}`);
  return finders[scope](ctx, target ?? '');
}

async function findAgent({ platform, tenant }: Context, named: string): Promise<HaltTarget> {
  const { organizationId, agentIds } = tenant;
  const found = await resolveAgent(platform, { organizationId, agentIds }, named);
  if (found) return { target: found.agentId, name: found.name };
  if (ID.test(named) || agentIds !== null) throw new AppError('NOT_FOUND', 'No such agent');
  const target = deriveAgentMark(platform.secrets.ledgerKey, organizationId, named);
  return { target, name: named };
}

async function findWorkspace(ctx: Context, named: string): Promise<HaltTarget> {
  const all = await listWorkspaces(ctx);
  const found = all.find(({ _id }) => _id.toHexString() === named);
  if (!found) throw new AppError('NOT_FOUND', 'No such workspace');
  return { target: named, name: found.name };
}

async function findPerson({ platform, tenant }: Context, named: string): Promise<HaltTarget> {
  const { organizationId } = tenant;
  const isMember = ID.test(named) && (await findMembership(platform, organizationId, named));
  const account = isMember ? await findMailbox(platform, named) : null;
  if (!account) throw new AppError('NOT_FOUND', 'No such member');
  return { target: named, name: account.name };
}

async function findSession({ platform, tenant }: Context, named: string): Promise<HaltTarget> {
  const { organizationId, workspaceId, agentIds } = tenant;
  const members = 'workspaceId agentId agentName answer sessionId deletedAt';
  const trace = await loadStoredDecision<TraceDocument>(
    platform,
    { organizationId, traceId: named },
    members,
  );
  const isVisible =
    trace &&
    !trace.deletedAt &&
    (workspaceId === null || workspaceId === trace.workspaceId) &&
    (agentIds === null || agentIds.includes(trace.agentId));
  if (!isVisible) throw new AppError('NOT_FOUND', 'No such decision');
  const found = toSessionTarget(platform, organizationId, trace);
  if (!found)
    throw new AppError('INVALID_OPERATION', 'The decision names no session: halt its agent');
  return found;
}

/** The session of a decision; null: it names none. */
export function toSessionTarget(
  { secrets }: Platform,
  organizationId: string,
  trace: PlacedDecision & Pick<TraceDocument, 'agentName'>,
): (HaltTarget & { session: HaltedSession }) | null {
  const { workspaceId, agent, sessionId } = toActPlace(trace, undefined);
  const place = { workspaceId, agent, sessionId, persons: [] };
  const target = createSessionKeys(secrets.ledgerKey)(organizationId, place);
  if (target === null || sessionId === null) return null;
  const name = `${sessionId} of ${trace.agentName ?? trace.agentId}`;
  return { target, name, session: { workspaceId: String(workspaceId), agent, sessionId } };
}
