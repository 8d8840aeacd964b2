// Addresses of receivers are secrets: anyone who has one can post there (decisions: addresses of receivers).
import { MANAGERS } from '../identity/roles.ts';
import type { Tenant, User } from '../identity/tenant.ts';

/** A caller who reads receivers; API keys have no user. */
export interface ReceiverViewer {
  tenant: Tenant;
  user?: User | undefined;
}

/** Only callers who may change receivers see addresses; a deactivated manager may not. */
export function maySeeAddresses({ user }: ReceiverViewer): boolean {
  return user !== undefined && user.isActive && MANAGERS.includes(user.role);
}

/** The origin of an address: it shows where deliveries go, and gives no access. */
export function toOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** A key that is limited to agents has no receivers of its own. */
export function hasReceivers({ tenant: { agentIds } }: ReceiverViewer): boolean {
  return agentIds === null;
}
