// The authenticated caller and its tenant, the first parameter of every service function.
import type { Plan } from './plans.ts';
import type { Role } from './roles.ts';
import type { Actor } from '../record/payload.ts';

/** Whose records are accessed. Ids are 24 hex digits. */
export interface Tenant {
  organizationId: string;
  /** Chosen by `x-workspace-id` or bound to the key; null: the whole organisation. */
  workspaceId: string | null;
  /** For new records when no workspace was chosen. */
  defaultWorkspaceId: string;
  plan: Plan;
  actor: Actor;
  /** Agents a workspace key is limited to; null: all. */
  agentIds: readonly string[] | null;
  /** Of a heavy request: aborted when its caller leaves, which ends what is read for it. */
  signal?: AbortSignal;
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
  /** The mailbox is proved, or nobody asks for that here. */
  isVerified: boolean;
  /** Whether the session may change the account, which is the same in every organisation. */
  ownsAccount: boolean;
}

export interface Key {
  keyId: string;
  kind: 'workspaceKey' | 'agentKey';
  readOnly: boolean;
  /** Minted for the verdicts of persons: they count, and the key ingests nothing. */
  isForFeedback: boolean;
  /** The workspace that it is bound to; null: `x-workspace-id` may name any. */
  workspaceId: string | null;
  /** Agent keys only: the agent the key belongs to. */
  agentId: string | null;
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
