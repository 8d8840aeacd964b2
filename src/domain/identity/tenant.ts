// The authenticated caller and its tenant, the first parameter of every service function.
import type { Plan } from './plans.ts';
import type { Role } from './roles.ts';
import type { Actor } from '../record/payload.ts';
import type { Principal } from '../workload/principal.ts';

/** The organisation whose records are accessed. Ids are 24 hex digits. */
export interface Tenant {
  organizationId: string;
  /** Chosen by `x-workspace-id` or bound to the key; null: the whole organisation. */
  workspaceId: string | null;
  /** The workspace of new records when none was chosen. */
  defaultWorkspaceId: string;
  plan: Plan;
  actor: Actor;
  /** Agents a workspace key is limited to; null: all. */
  agentIds: readonly string[] | null;
  /** Heavy requests only: aborts when the caller disconnects, which ends their reads. */
  signal?: AbortSignal;
  /** Requests that may wait only: waits for an event while other requests of the organisation are computed. */
  waitAside?: (wait: () => Promise<void>) => Promise<void>;
}

/** A signed-in user in the active organisation. */
export interface User {
  userId: string;
  email: string;
  name: string;
  role: Role;
  systemRole: 'owner' | 'admin' | null;
  jti: string;
  /** End of the session, milliseconds since the epoch. */
  expiresAt: number;
  /** False: the directory has deactivated the member, who may read until the session ends. */
  isActive: boolean;
  /** The session was opened by the identity provider of the active organisation and leads nowhere else. */
  isSignOn: boolean;
  /** The mailbox is proved, or the installation does not require proof. */
  isVerified: boolean;
  /** Whether the session may change the account, which is the same in every organisation. */
  ownsAccount: boolean;
}

export interface Key {
  keyId: string;
  /** SHA-256 of the key, by which it is looked up again. */
  keyHash: string;
  kind: 'workspaceKey' | 'agentKey';
  readOnly: boolean;
  /** The key was minted for human verdicts: it may submit them, and it ingests nothing. */
  isForFeedback: boolean;
  /** The workspace that it is bound to; null: `x-workspace-id` may name any. */
  workspaceId: string | null;
  /** Agent keys only: the agent the key belongs to. */
  agentId: string | null;
  /** Run tokens only, which act as the key of their agent does. */
  run?: Run;
}

/** What a run token says besides its agent. */
export interface Run {
  principal: Principal;
  expiresAt: Date;
}

/** The identity behind a credential, before the route's `auth` narrows it. */
export interface Caller {
  tenant: Tenant;
  role: Role;
  user?: User;
  key?: Key;
  /** Set when the caller is an identity provider. */
  scimTokenId?: string;
}
