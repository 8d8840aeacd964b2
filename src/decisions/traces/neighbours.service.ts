// The services of wings below that decisions call and that no `perInstance` opens yet: the composition provides them.
import type { AgentResolver } from '../../identity/agents/agent-resolver.service.ts';
import type { KeyAuthenticationService } from '../../identity/auth/keys/key-authentication.service.ts';
import type { SessionService } from '../../identity/auth/sessions/sessions.service.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { Consumers } from '../../ledger/follow/consumers.ts';
import type { Platform } from '../../platform/platform.ts';

interface Neighbours {
  agents: AgentResolver;
  consumers: Pick<Consumers, 'wake'>;
  keyAuthentication: KeyAuthenticationService;
  organizations: OrganizationService;
  sessions: SessionService;
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
