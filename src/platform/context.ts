// What a function of a wing gets first: for whom it acts, and what it stands on.
import type { Key, Tenant, User } from '../domain/identity/tenant.ts';
import type { Platform } from './platform.ts';

/** The tenant of a request, and the platform of the instance that serves it. */
export interface Context {
  platform: Platform;
  /** With the `signal` that aborts heavy reads. */
  tenant: Tenant;
}

/** The context of a request by a signed-in user. */
export interface UserContext extends Context {
  user: User;
}

/** The context of a request by a key, such as that of an agent. */
export interface KeyContext extends Context {
  key: Key;
}

/** The context of work for an organisation, by a request or without one. */
export interface WorkContext {
  platform: Platform;
  tenant: Pick<Tenant, 'organizationId' | 'signal'>;
}

/** The context of work without a tenant, such as a job. */
export type PlatformContext = Pick<Context, 'platform'>;
