// Addresses of receivers are secrets by themselves: whoever has one can post there (decisions: addresses of receivers).
import { MANAGERS } from '../identity/roles.ts';
import type { Tenant, User } from '../identity/tenant.ts';

/** Who looks at receivers; keys have no user. */
export interface Looker {
  tenant: Tenant;
  user?: User | undefined;
}

/** Those who may change them, which a deactivated manager may not. */
export function seesAddresses({ user }: Looker): boolean {
  return user !== undefined && user.isActive && MANAGERS.includes(user.role);
}

/** What says where it leads, and opens nothing. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** A key that is limited to agents has no receivers of its own. */
export function hasReceivers({ tenant: { agentIds } }: Looker): boolean {
  return agentIds === null;
}
