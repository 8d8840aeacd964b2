// The kinds of callers: one entry per value of `auth`, with what it adds to the handler's input.
import type { Key, Tenant, User } from '../../domain/identity/tenant.ts';

export interface Principals {
  /** Anyone, without credentials. */
  public: unknown;
  /** A session token. */
  user: { tenant: Tenant; user: User };
  /** A session token, or a workspace key with the rights of the role member and without a user. GET only. */
  reader: { tenant: Tenant; user?: User | undefined };
  /** A session token, or a key of any kind with the rights of the role member. */
  keyOrUser: { tenant: Tenant; user?: User | undefined; key?: Key | undefined };
  /** A session token, or the token of a calendar feed as `token` in the query, which has no user. GET only. */
  calendar: { tenant: Tenant };
  /** A workspace key. */
  workspaceKey: { tenant: Tenant; key: Key };
  /** The organisation's SCIM token. */
  scim: { tenant: Tenant };
  /** A workspace key or an agent key. */
  anyKey: { tenant: Tenant; key: Key };
}
export type Auth = keyof Principals;
