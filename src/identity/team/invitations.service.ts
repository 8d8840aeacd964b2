// Invitations for the team: created, listed, sent again, withdrawn (document 1, sections 3 and 4.4).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { AFTER, findOr404, insertOne } from '../../platform/mongo/queries.ts';
import type { AccountReader } from '../auth/accounts/account-reader.service.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';
import type { InvitationMailService } from './invitation-mails.service.ts';
import type { InvitationQuotaService } from './invitation-quota.service.ts';
import { toPendingFilter, toInvitationRefusal } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { invitationInput } from './invitations.schemas.ts';
import { requireOwner } from './members.service.ts';

interface Deps {
  accountReader: AccountReader;
  memberships: MembershipService;
  invitationMails: InvitationMailService;
  invitationQuota: InvitationQuotaService;
}

export interface InvitationView extends InvitationDocument {
  id: Types.ObjectId;
}
interface RevokedInvitation {
  _id: Types.ObjectId;
  email: string;
  revoked: true;
}

/** Number of send times that are stored per invitation. */
const SENT_KEPT = 50;
const LIFETIME_MS = 7 * 24 * 3600 * 1000;

export function createInvitationService(
  platform: Pick<Platform, 'models' | 'clock' | 'generateId'>,
  deps: Deps,
) {
  const { models, clock, generateId: newId } = platform;
  const { accountReader, memberships, invitationMails, invitationQuota } = deps;
  const computeExpiry = (): Date => new Date(clock.now().getTime() + LIFETIME_MS);

  /** Changes a pending invitation. @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
  async function change(
    organizationId: string,
    _id: string,
    set: object,
  ): Promise<InvitationDocument> {
    const now = clock.now();
    const changed = await models.invitations
      .findOneAndUpdate({ ...toPendingFilter(organizationId, now), _id }, { $set: set }, AFTER)
      .lean<InvitationDocument>();
    if (changed) return changed;
    const ended = models.invitations.findOne({ organizationId, _id }).lean<InvitationDocument>();
    throw toInvitationRefusal(await findOr404(ended), now);
  }

  /** Refuses an address of a member, also a suspended one, or of a pending invitation. */
  async function requireUnknown(organizationId: string, email: string): Promise<void> {
    const userId = await accountReader.findIdByAddress(email);
    if (userId && (await memberships.findMembership(organizationId, userId.toHexString())))
      throw new AppError('ALREADY_MEMBER', 'This person is a member already');
    if (await models.invitations.exists({ ...toPendingFilter(organizationId, clock.now()), email }))
      throw new AppError('ALREADY_MEMBER', 'This person has been invited already');
  }

  return {
    mails: invitationMails.mails,

    /** Lists pending invitations, newest first. */
    async listInvitations({ organizationId }: Tenant): Promise<InvitationView[]> {
      const found = await models.invitations
        .find(toPendingFilter(organizationId, clock.now()))
        .sort({ createdAt: -1, _id: -1 })
        .lean<InvitationDocument[]>();
      return found.map(toView);
    },

    /** @throws AppError `ALREADY_MEMBER`, `FORBIDDEN` for an admin who invites an owner or auditor, `RATE_LIMIT_EXCEEDED` */
    async create(
      { organizationId }: Tenant,
      inviter: User,
      { email, role }: z.output<typeof invitationInput>,
    ): Promise<InvitationView> {
      requireOwner(inviter.role, role);
      if (role === 'auditor' && inviter.role !== 'owner')
        throw new AppError('FORBIDDEN', 'Only an owner makes an auditor');
      await memberships.lockOrganization(organizationId);
      await requireUnknown(organizationId, email);
      await invitationQuota.requireRoom(organizationId, email);
      const _id = newId();
      const invitation = await insertOne(models.invitations, {
        _id,
        organizationId,
        email,
        role,
        tokenHash: invitationMails.hashToken(_id),
        invitedBy: inviter.userId,
        inviterEmail: inviter.email,
        expiresAt: computeExpiry(),
        sentAt: [clock.now()],
      });
      await invitationMails.sendInvitation(invitation);
      return toView(invitation);
    },

    /**
     * Extends the same token by seven days.
     * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `RATE_LIMIT_EXCEEDED`
     */
    async sendAgain({ organizationId }: Tenant, invitationId: string): Promise<InvitationView> {
      await memberships.lockOrganization(organizationId);
      const { email, sentAt } = await findOr404(
        models.invitations
          .findOne({ organizationId, _id: invitationId })
          .lean<InvitationDocument>(),
      );
      await invitationQuota.requireRoom(organizationId, email);
      const tokenHash = invitationMails.hashToken(invitationId);
      const sent = [...sentAt, clock.now()].slice(-SENT_KEPT);
      const renewed = { expiresAt: computeExpiry(), attempts: 0, tokenHash, sentAt: sent };
      const invitation = await change(organizationId, invitationId, renewed);
      await invitationMails.sendInvitation(invitation);
      return toView(invitation);
    },

    /** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
    async revoke({ organizationId }: Tenant, invitationId: string): Promise<RevokedInvitation> {
      const { _id, email } = await change(organizationId, invitationId, { revokedAt: clock.now() });
      return { _id, email, revoked: true };
    },

    /**
     * Marks it accepted; call it in the transaction of the acceptance.
     * @throws AppError `INVITE_ALREADY_USED`, `EXPIRED`, `NOT_FOUND`
     */
    async consume({ _id, organizationId }: InvitationDocument): Promise<void> {
      await memberships.lockOrganization(organizationId.toHexString());
      await change(organizationId.toHexString(), _id.toHexString(), { acceptedAt: clock.now() });
    },
  };
}
export type InvitationService = ReturnType<typeof createInvitationService>;

function toView(invitation: InvitationDocument): InvitationView {
  return { ...invitation, id: invitation._id };
}
