// Accounts whose mailbox nobody has proved: what was begun with one ends when its owner turns up, or after a day.
import type { Platform } from '../../../composition/platform.ts';
import { ORGANIZATION_DELETED, systemAuditEvent } from '../../../domain/record/audit-event.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { OrganizationEndService } from '../../organization/deletion/organization-end.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { SecondFactor, UserDocument } from './users.model.ts';

type Deps = Pick<
  Platform,
  'models' | 'config' | 'clock' | 'transaction' | 'onCommit' | 'caches'
> & {
  memberships: MembershipService;
  organizationEnd: OrganizationEndService;
  sessions: SessionService;
  audit: AuditService;
};

const LAPSE_MS = 24 * 3600_000;
const BATCH = 100;
const NO_SECOND_FACTOR = {
  enabled: false,
  secret: null,
  pendingSecret: null,
  lastStep: 0,
  failures: 0,
  failingSince: null,
  failuresInside: 0,
  failingInsideSince: null,
  backupCodes: [],
} satisfies SecondFactor;
const NOTHING_BEGUN = { mfa: NO_SECOND_FACTOR, identities: [], lastOrganizationId: null };
const NO_PASSWORD = { passwordHash: null, passwordChangedAt: null };

export function createUnprovedAccountService(deps: Deps) {
  const { models, config, clock, transaction, onCommit, caches } = deps;
  const { memberships, organizationEnd, sessions, audit } = deps;

  /** With the keys that were minted; an organisation without another owner ends too. */
  async function endMembership(membership: MembershipDocument): Promise<void> {
    const { userId } = membership;
    const organizationId = membership.organizationId.toHexString();
    await memberships.lock(organizationId);
    await models.workspaceKeys.updateMany(
      { organizationId, createdBy: userId, revokedAt: null },
      { $set: { revokedAt: clock.now() } },
    );
    onCommit(() => caches.forget(organizationId));
    if (await memberships.withdraw(membership)) return;
    await organizationEnd.end(organizationId);
    const detail = 'nobody has proved the address of its owner';
    const ended = { action: ORGANIZATION_DELETED, resource: 'organization', detail };
    await audit.record(systemAuditEvent({ ...ended, organizationId, resourceId: organizationId }));
  }

  /**
   * Ends the second factor, and every membership that no directory gave to the address; answers whether there was one. `keptBy`: the
   * organisation that answers for the address keeps its own. Call it in a transaction.
   */
  async function endBegun({ _id }: UserDocument, keptBy?: string): Promise<boolean> {
    await models.users.updateOne({ _id }, { $set: NOTHING_BEGUN });
    const all = await memberships.ofUser(_id.toHexString());
    const begun = all.filter(
      ({ directory, organizationId }) => !directory && organizationId.toHexString() !== keptBy,
    );
    for (const membership of begun) await endMembership(membership);
    return begun.length > 0;
  }

  /** An account that a directory needs becomes one that nobody has used; any other goes. */
  async function lapse(userId: UserDocument['_id']): Promise<void> {
    const user = await models.users.findById(userId).lean<UserDocument>();
    if (!user || user.emailVerifiedAt !== null) return;
    await endBegun(user);
    await sessions.revokeAll(userId.toHexString());
    const isNeeded = await memberships.isAnywhere(userId.toHexString());
    if (isNeeded) await models.users.updateOne({ _id: userId }, { $set: NO_PASSWORD });
    else await models.users.deleteOne({ _id: userId });
  }

  return {
    endBegun,

    /** Ends the accounts that have waited for a proof for a day, where the installation asks for one. */
    async lapseAll(): Promise<void> {
      if (!config.requireVerifiedEmail) return;
      const before = new Date(clock.now().getTime() - LAPSE_MS);
      const lapsed = await models.users
        .find({ emailVerifiedAt: null, passwordChangedAt: { $lt: before } }, '_id')
        .limit(BATCH)
        .lean<Pick<UserDocument, '_id'>[]>();
      for (const { _id } of lapsed) await transaction(() => lapse(_id));
    },
  };
}
export type UnprovedAccountService = ReturnType<typeof createUnprovedAccountService>;
