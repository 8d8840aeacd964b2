// The services that decisions call and that are no functions yet: the composition provides them.
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
import type { BatchService } from './batch/batch.service.ts';
import type { IngestionService } from './ingestion/ingestion.service.ts';
import type { UsedMessageService } from '../../identity/sign-on/login/used-messages.service.ts';
import type { PermissionService } from './permissions/permissions.service.ts';
import type { Platform } from '../../platform/platform.ts';

interface Neighbours {
  agents: AgentResolver;
  batches: BatchService;
  consumers: Pick<Consumers, 'wake'>;
  ingestion: IngestionService;
  keyAuthentication: KeyAuthenticationService;
  keys: KeyService;
  local: LocalService;
  notices: NoticeService;
  organizations: OrganizationService;
  permissions: PermissionService;
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
