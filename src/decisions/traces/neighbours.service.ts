// The services that decisions call and that are no functions yet: the composition provides them.
import type { PolicySet } from '@assay/policy';
import type { EntryPromise } from '@assay/tlog';
import type { AgentHistoryService } from '../../identity/agents/activity/agent-history.service.ts';
import type { StoredTrace } from './ingestion/ingest-answer.ts';
import type { AgentResolver } from '../../identity/agents/agent-resolver.service.ts';
import type { KeyAuthenticationService } from '../../identity/auth/keys/key-authentication.service.ts';
import type { SessionService } from '../../identity/auth/sessions/sessions.service.ts';
import type { LocalService } from '../../identity/auth/accounts/local.service.ts';
import type { KeyService } from '../../identity/auth/keys/keys.service.ts';
import type { SecondStepService } from '../../identity/auth/mfa/second-step.service.ts';
import type { NoticeService } from '../../events/notifications/notices/notices.service.ts';
import type { PresentMembers } from '../../identity/organization/memberships/present-members.service.ts';
import type { WorkspaceService } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { Consumers } from '../../ledger/follow/consumers.ts';
import type { UsedMessageService } from '../../identity/sign-on/login/used-messages.service.ts';
import type { PermissionService } from './permissions/permissions.service.ts';
import type { Platform } from '../../platform/platform.ts';

interface Neighbours {
  agents: AgentResolver;
  agentHistory: AgentHistoryService;
  consumers: Pick<Consumers, 'wake'>;
  keyAuthentication: KeyAuthenticationService;
  keys: KeyService;
  /** Finds the secret that keys the digests of effects and actors of an organisation. */
  loadEffectSecret(organizationId: string): string;
  /** Finds the policies that judge a decision. `workspaces`: its own, and the one that is its home if that is another. */
  loadPolicySet(
    scope: { organizationId: string; workspaces: string | readonly [string, string] },
    traceId: string,
  ): Promise<PolicySet>;
  local: LocalService;
  notices: NoticeService;
  organizations: OrganizationService;
  permissions: PermissionService;
  promises: {
    signEntry(organizationId: string, entry: StoredTrace): Promise<EntryPromise | null>;
  };
  presentMembers: PresentMembers;
  secondStep: SecondStepService;
  sessions: SessionService;
  usedMessages: UsedMessageService;
  workspaces: WorkspaceService;
}

const provided = new WeakMap<Platform, Neighbours>();

export function provideTraceNeighbours(platform: Platform, neighbours: Neighbours): void {
  provided.set(platform, neighbours);
}

export function getTraceNeighbours(platform: Platform): Neighbours {
  const neighbours = provided.get(platform);
  if (!neighbours) throw new Error('The composition has not provided the neighbours of decisions');
  return neighbours;
}
