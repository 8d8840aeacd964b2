// What rooms of identity use of those above them, which they may not import: the composition provides it.
import type { PolicyVerdict } from '@assay/policy';
import type { UnregisteredAgent } from '../domain/agents/unregistered-agent.ts';
import type { Notify } from '../domain/events/announcement.ts';
import type { Caller, Tenant } from '../domain/identity/tenant.ts';
import { createProvision } from '../platform/per-instance.ts';

/** What agents ask of decisions. */
export interface NamedDecisions {
  /** When the newest decision of the name was made; null: there is none. */
  findLastTime(organizationId: string, name: string): Promise<Date | null>;
  /** Counts the newest decisions of the name by verdict. */
  countVerdicts(
    organizationId: string,
    name: string,
  ): Promise<ReadonlyMap<PolicyVerdict['status'], number>>;
  /** Lists names of the newest decisions that no registered agent has. */
  listUnregistered(
    tenant: Pick<Tenant, 'organizationId' | 'workspaceId'>,
  ): Promise<UnregisteredAgent[]>;
  /** The id of the agent that made a decision, by a name of the decision. @throws AppError `NOT_FOUND` */
  findProducerId(tenant: Tenant, name: string): Promise<string>;
}

interface UpperRooms {
  findOrganizationName(organizationId: string): Promise<string | null>;
  /** The public keys that sign checkpoints of the audit chain. */
  logKeys: {
    /** Judges by these keys, and once more when another one has begun to sign since. */
    judgeByKeys<T extends { broken: unknown }>(judge: (keys: string[]) => Promise<T>): Promise<T>;
  };
  /** Forgets the keys that were seen, after a change of them. */
  forgetKeys(organizationId: string): void;
  /** Ends the sessions of sign-ons at all providers but `staying`; returns how many were in use. */
  endSignOns(
    organizationId: string,
    staying: { protocol: 'oidc' | 'saml'; issuer: string } | null,
  ): Promise<number>;
  /** Ends all sessions of a member in the organisation. */
  endMemberSessions(organizationId: string, userId: string): Promise<void>;
  /** @throws AppError one of the 401 codes of a session token */
  authenticateSession(token: string): Promise<Caller>;
  /** @throws AppError `TOKEN_VERIFICATION_FAILED` from the second time on */
  useMessageOnce(organizationId: string, message: { issuer: string; id: string }): Promise<void>;
  /** Halts what is done for a user who is no active member any more, or lets it go on; in the transaction of the change. */
  queueMemberHalt(organizationId: string, userId: string): Promise<void>;
  notify: Notify;
  decisions: NamedDecisions;
  /** Empties decisions and hides them; their entries stay. */
  removeDecisions(tenant: Tenant, ids: readonly string[], cause: 'purge'): Promise<unknown>;
  /** Cancels what an organisation pays. */
  queueCancellation(subscription: {
    paymentSubscriptionId?: string | null;
    status?: string;
  }): Promise<void>;
  /** Creates the cursors of the ledger's consumers, in the transaction of the registration. */
  openLedger(organizationId: string): Promise<void>;
}

export const { provide: provideUpperRooms, get: getUpperRooms } =
  createProvision<UpperRooms>('the rooms of identity');
