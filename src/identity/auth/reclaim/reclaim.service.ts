// Ends all access of the registrant, maybe a stranger, at the first proof of a mailbox; deletes no data.
import type { Platform } from '../../../platform/platform.ts';
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { AuditService } from '../../audit/audit.service.ts';
import type { SecondFactor, UserDocument } from '../accounts/users.model.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import { createReclaimMails } from './reclaim.mails.ts';

interface Deps {
  memberships: MembershipService;
  audit: AuditService;
}

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
const NO_CREDENTIALS = { mfa: NO_SECOND_FACTOR, identities: [], lastOrganizationId: null };
/** No key has this digest; `regenerate-key` of the agent creates the next key. */
const ENDED_AGENT_KEY = [{ $set: { apiKeyHash: { $concat: ['ended:', { $toString: '$_id' }] } } }];
const PIPELINE = { updatePipeline: true } as const;
const OFF = { $set: { isActive: false } } as const;

export function createReclaimService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit' | 'caches' | 'queueMail' | 'publicUrl'>,
  deps: Deps,
) {
  const { models, clock, onCommit, caches, queueMail, publicUrl } = platform;
  const { memberships, audit } = deps;

  /**
   * Ends the keys, tokens, invitations and sessions of an organisation; its owner's sessions end with the account's.
   */
  async function endWaysIn(organizationId: string, owner: UserDocument): Promise<void> {
    const revoked = { $set: { revokedAt: clock.now() } };
    const open = { organizationId, revokedAt: null };
    await models.workspaceKeys.updateMany(open, revoked);
    await models.agents.updateMany({ organizationId }, ENDED_AGENT_KEY, PIPELINE);
    const ended = { $set: { deletedAt: clock.now() } };
    await models.agentTrusts.updateMany({ organizationId, deletedAt: null }, ended);
    await models.scimTokens.deleteMany({ organizationId });
    await models.calendarFeeds.deleteMany({ organizationId });
    await models.invitations.updateMany({ ...open, acceptedAt: null }, revoked);
    await models.sessions.updateMany(
      { ...open, userId: { $ne: owner._id } },
      { $set: { ...revoked.$set, revokedBy: 'suspension' } },
    );
  }

  /** Switches off webhooks and alert rules, which send data out of the organisation, and keeps them. */
  async function closeWaysOut(organizationId: string): Promise<void> {
    await models.webhooks.updateMany({ organizationId, isActive: true }, OFF);
    await models.alertRules.updateMany({ organizationId, isActive: true }, OFF);
  }

  /** Suspends all members but the owner, who is asked whether to keep the organisation. */
  async function beginReclaim(organizationId: string, owner: UserDocument): Promise<void> {
    await memberships.lockOrganization(organizationId);
    await endWaysIn(organizationId, owner);
    await closeWaysOut(organizationId);
    const membersSuspended = await memberships.suspendOthers(organizationId, owner._id);
    const reclaimed = { $set: { reclaimedAt: clock.now() } };
    await models.organizations.updateOne({ _id: organizationId }, reclaimed);
    onCommit(() => caches.forget(organizationId));
    const entry = { action: 'organization.reclaimed', resource: 'organization' };
    const about = { organizationId, resourceId: organizationId, userId: owner._id.toHexString() };
    await audit.record(
      createSystemAuditEvent({ ...entry, ...about, metadata: { membersSuspended } }),
    );
    await queueMail(organizationId, { kind: 'reclaimed', email: owner.email });
  }

  /**
   * Turns a membership in another owner's organisation into an offer, and ends the keys and invitations made with it.
   */
  async function convertToOffer(membership: MembershipDocument): Promise<void> {
    const { userId } = membership;
    const organizationId = membership.organizationId.toHexString();
    const revoked = { $set: { revokedAt: clock.now() } };
    const open = { organizationId, revokedAt: null };
    await memberships.lockOrganization(organizationId);
    await models.workspaceKeys.updateMany({ ...open, createdBy: userId }, revoked);
    await models.invitations.updateMany({ ...open, invitedBy: userId, acceptedAt: null }, revoked);
    await models.calendarFeeds.deleteMany({ organizationId, userId });
    onCommit(() => caches.forget(organizationId));
    await memberships.change(membership, { isPending: true, enteredAt: null });
  }

  return {
    /** Keys are the `kind` of the outbox row. */
    mails: createReclaimMails({ models, publicUrl }),

    /**
     * Ends the second factor and linked identities of an account. Organisations that it owns are reclaimed, other
     * memberships become offers; those that a directory gave stay, and that of `keptBy`, which answers for the address.
     * Returns whether there was a membership to end. Call it in a transaction.
     */
    async beginReclaims(user: UserDocument, keptBy?: string): Promise<boolean> {
      await models.users.updateOne({ _id: user._id }, { $set: NO_CREDENTIALS });
      const all = await memberships.listUserMemberships(user._id.toHexString());
      const begun = all.filter(
        ({ directory, organizationId }) => !directory && organizationId.toHexString() !== keptBy,
      );
      for (const membership of begun)
        if (membership.role === 'owner' && membership.isActive)
          await beginReclaim(membership.organizationId.toHexString(), user);
        else await convertToOffer(membership);
      return begun.length > 0;
    },

    /**
     * Keeps the organisation, by its owner's decision.
     * @throws AppError `INVALID_OPERATION` when there is no question
     */
    async keepOrganization(organizationId: string): Promise<void> {
      const { matchedCount } = await models.organizations.updateOne(
        { _id: organizationId, reclaimedAt: { $type: 'date' } },
        { $set: { reclaimedAt: null } },
      );
      if (matchedCount === 0) {
        await findOr404(models.organizations.findById(organizationId).lean<OrganizationDocument>());
        throw new AppError('INVALID_OPERATION', 'The organisation is kept already');
      }
      onCommit(() => caches.forget(organizationId));
    },
  };
}
export type ReclaimService = ReturnType<typeof createReclaimService>;
