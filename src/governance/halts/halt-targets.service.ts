// Finds what is to be halted, and names it as people call it.
import type { HaltScope } from '../../domain/halt/halt.ts';
import { createVisibilityFilter } from '../../domain/identity/visible-decisions.ts';
import { createSessionKeys } from '../../domain/halt/session-key.ts';
import { AppError } from '../../errors.ts';
import { deriveAgentMark } from '../../decisions/traces/ingestion/idempotency.ts';
import { readActPlace } from '../../domain/halt/act.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { AgentResolver } from '../../identity/agents/agent-resolver.service.ts';
import { openAccountReader } from '../../identity/auth/accounts/account-reader.service.ts';
import { openMemberships } from '../../identity/organization/memberships/memberships.service.ts';
import type { WorkspaceService } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { Context } from '../../platform/context.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';

/** Services that know agents and workspaces. */
export interface TargetReaders {
  agents: Pick<AgentResolver, 'resolve'>;
  workspaces: Pick<WorkspaceService, 'listWorkspaces'>;
  /** Removes personal data from a text that people write. */
  scrubText(organizationId: string, text: string): Promise<string>;
}

export interface HaltTarget {
  target: string;
  name: string;
}

type Finder = (ctx: Context, named: string, readers: TargetReaders) => Promise<HaltTarget>;

const ID = /^[0-9a-f]{24}$/;

const finders: Readonly<Record<HaltScope, Finder>> = {
  organization: ({ tenant }) =>
    Promise.resolve({ target: tenant.organizationId, name: 'Everything' }),

  async agent({ platform, tenant }, named, { agents }) {
    const { organizationId, agentIds } = tenant;
    const found = await agents.resolve(organizationId, named, agentIds);
    if (found) return { target: found.agentId, name: found.name };
    if (ID.test(named) || agentIds !== null) throw new AppError('NOT_FOUND', 'No such agent');
    return {
      target: deriveAgentMark(platform.secrets.ledgerKey, organizationId, named),
      name: named,
    };
  },

  async workspace({ tenant }, named, { workspaces }) {
    const all = await workspaces.listWorkspaces(tenant);
    const found = all.find(({ _id }) => _id.toHexString() === named);
    if (!found) throw new AppError('NOT_FOUND', 'No such workspace');
    return { target: named, name: found.name };
  },

  async person({ platform, tenant }, named) {
    const { organizationId } = tenant;
    const member =
      ID.test(named) && (await openMemberships(platform).findMembership(organizationId, named));
    const account = member ? await openAccountReader(platform).findMailbox(named) : null;
    if (!account) throw new AppError('NOT_FOUND', 'No such member');
    return { target: named, name: account.name };
  },

  async session({ platform, tenant }, named) {
    const where = {
      ...createVisibilityFilter(tenant),
      organizationId: tenant.organizationId,
      traceId: named,
    };
    const members = 'workspaceId agentId agentName answer sessionId';
    const trace = await findOr404(
      platform.models.traces.findOne(where, members).lean<TraceDocument>(),
    );
    const readKey = createSessionKeys(platform.secrets.ledgerKey);
    const target = readKey(tenant.organizationId, readActPlace(trace));
    if (target === null)
      throw new AppError('INVALID_OPERATION', 'The decision names no session: halt its agent');
    return { target, name: `${trace.sessionId} of ${trace.agentName ?? trace.agentId}` };
  },
};

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `VALIDATION_ERROR` */
export function findTarget(
  ctx: Context,
  { scope, target }: { scope: HaltScope; target?: string | undefined },
  readers: TargetReaders,
): Promise<HaltTarget> {
  if (scope !== 'organization' && target === undefined)
    throw new AppError('VALIDATION_ERROR', `target: required for the scope ${scope}`);
  return finders[scope](ctx, target ?? '', readers);
}
