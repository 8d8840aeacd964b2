// What an answer shows of a standing grant.
import type { StandingGrantDocument } from './grants.model.ts';
import type { GrantView } from './grants.schemas.ts';

/** `used`: of one that stands; one that has ended says it itself. */
export function toGrantView(grant: StandingGrantDocument, used: number): GrantView {
  const { _id, uses, endedAt, sequence } = grant;
  const counted = grant.used ?? used;
  return {
    _id,
    id: _id,
    status: grant.status,
    cause: grant.cause,
    workspaceId: grant.workspaceId,
    agentId: grant.agentId,
    agentName: grant.agentName,
    tool: grant.tool,
    server: grant.server,
    toolDigest: grant.toolDigest,
    when: grant.when,
    policies: grant.policies,
    uses,
    used: counted,
    left: endedAt === null ? uses - counted : 0,
    until: grant.until,
    fromTraceId: grant.fromTraceId,
    reason: grant.reason,
    givenBy: grant.givenBy,
    createdAt: grant.createdAt,
    endedAt,
    endedBy: grant.endedBy,
    hashChain: { sequence },
  };
}
