// Invitations: written, sent again, withdrawn by the team; looked at and accepted by whoever holds the token (document 1, sections 3 and 4.4).
import type { z } from 'zod';
import type { Platform } from '../../composition/platform.ts';
import { invitationToken } from '../../domain/identity/invitation-token.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import type { Models } from '../../models.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { MembershipService } from '../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { invitationInput } from './invitations.schemas.ts';
import { requireOwner } from './members.service.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'newId' | 'publicUrl' | 'secrets' | 'queueMail'> & {
  memberships: MembershipService;
};

const DAYS = 7;
const LIFETIME_MS = DAYS * 24 * 3600 * 1000;

export function createInvitationService(deps: Deps) {
  const { models, memberships, clock, newId, secrets, publicUrl, queueMail } = deps;
  const hashOf = (token: string): string => sha256Hex(token);
  const tokenOf = (invitationId: string): string =>
    invitationToken(secrets.ledgerKey, invitationId);
  const inAWeek = (): Date => new Date(clock.now().getTime() + LIFETIME_MS);
  const pending = (organizationId: string) => ({
    organizationId,
    acceptedAt: null,
    revokedAt: null,
    expiresAt: { $gt: clock.now() },
  });

  /** In the transaction of the change: the mail itself is made from the row when it is sent, so the token stands nowhere. */
  async function send({ _id, organizationId }: InvitationDocument): Promise<void> {
    await queueMail(organizationId.toHexString(), {
      kind: 'invitation',
      invitationId: _id.toHexString(),
    });
  }

  /** Changes a pending invitation. @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
  async function change(
    organizationId: string,
    _id: string,
    set: object,
  ): Promise<InvitationDocument> {
    const changed = await models.invitations
      .findOneAndUpdate(
        { ...pending(organizationId), _id },
        { $set: set },
        { returnDocument: 'after' },
      )
      .lean<InvitationDocument>();
    if (changed) return changed;
    const found = await models.invitations
      .findOne({ organizationId, _id })
      .lean<InvitationDocument>();
    throw found ? refusalOf(found) : new AppError('NOT_FOUND');
  }

  /** Neither a member, suspended or not, nor invited already. */
  async function refuseKnown(organizationId: string, email: string): Promise<void> {
    const user = await models.users.findOne({ email }, '_id').lean();
    if (user && (await memberships.find(organizationId, user._id.toHexString())))
      throw new AppError('ALREADY_MEMBER', 'This person is a member already');
    if (await models.invitations.exists({ ...pending(organizationId), email }))
      throw new AppError('ALREADY_MEMBER', 'This person is invited already');
  }

  async function find(token: string): Promise<InvitationDocument> {
    const found = await models.invitations
      .findOne({ tokenHash: hashOf(token) }, null, { crossTenant: true })
      .lean<InvitationDocument>();
    if (!found) throw new AppError('NOT_FOUND', 'No such invitation');
    return found;
  }

  /** What became of an invitation; null while it can be accepted. */
  function endOf({
    acceptedAt,
    revokedAt,
    expiresAt,
  }: InvitationDocument): 'accepted' | 'revoked' | 'expired' | null {
    if (acceptedAt) return 'accepted';
    if (revokedAt) return 'revoked';
    return expiresAt <= clock.now() ? 'expired' : null;
  }

  function refusalOf(invitation: InvitationDocument): AppError {
    const end = endOf(invitation);
    if (end === 'accepted') return new AppError('INVITE_ALREADY_USED');
    return end === null
      ? new AppError('CONFLICT')
      : new AppError('EXPIRED', `The invitation is ${end}`);
  }

  /** The mail behind a row of the outbox; null when the invitation has ended since. */
  async function composeMail({
    organizationId,
    payload,
  }: Pick<OutboxDocument, 'organizationId' | 'payload'>) {
    const _id = payload.invitationId as string;
    const invitation = await models.invitations
      .findOne({ organizationId, _id })
      .lean<InvitationDocument>();
    if (!invitation || endOf(invitation) !== null) return null;
    return mailOf(invitation, {
      organizationName: await nameOf(models, invitation),
      token: tokenOf(_id),
      publicUrl,
    });
  }

  return {
    /** Pending ones, newest first. */
    async list({ organizationId }: Tenant) {
      const found = await models.invitations
        .find(pending(organizationId))
        .sort({ createdAt: -1, _id: -1 })
        .lean<InvitationDocument[]>();
      return found.map(shown);
    },

    /** @throws AppError `ALREADY_MEMBER`, `FORBIDDEN` for an admin who invites an owner */
    async create(tenant: Tenant, caller: User, { email, role }: z.output<typeof invitationInput>) {
      const { organizationId } = tenant;
      requireOwner(caller.role, role);
      await memberships.lock(organizationId);
      await refuseKnown(organizationId, email);
      const invitationId = newId();
      const [made] = await models.invitations.create([
        {
          _id: invitationId,
          organizationId,
          email,
          role,
          tokenHash: hashOf(tokenOf(invitationId)),
          invitedBy: caller.userId,
          inviterEmail: caller.email,
          expiresAt: inAWeek(),
        },
      ]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      const invitation = made.toObject<InvitationDocument>();
      await send(invitation);
      return shown(invitation);
    },

    /** The same token for another seven days. @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
    async resend({ organizationId }: Tenant, invitationId: string) {
      const tokenHash = hashOf(tokenOf(invitationId));
      const sent = await change(organizationId, invitationId, {
        expiresAt: inAWeek(),
        attempts: 0,
        tokenHash,
      });
      await send(sent);
      return shown(sent);
    },

    /** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
    async revoke({ organizationId }: Tenant, invitationId: string) {
      const { _id, email } = await change(organizationId, invitationId, { revokedAt: clock.now() });
      return { _id, email, revoked: true as const };
    },

    /** What an invitation offers; of one that has ended only how. @throws AppError `NOT_FOUND` for an unknown token */
    async validate(token: string) {
      const invitation = await find(token);
      const reason = endOf(invitation);
      if (reason !== null) return { valid: false as const, reason };
      const { role, inviterEmail, expiresAt } = invitation;
      const organizationName = await nameOf(models, invitation);
      return { valid: true as const, organizationName, role, inviterEmail, expiresAt };
    },

    /** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
    async open(token: string): Promise<InvitationDocument> {
      const invitation = await find(token);
      if (endOf(invitation) !== null) throw refusalOf(invitation);
      return invitation;
    },

    /** Counts one password that was tried. @throws AppError `RATE_LIMIT_EXCEEDED` beyond twenty since it was last sent */
    async attempt({ _id, organizationId }: InvitationDocument): Promise<void> {
      const { modifiedCount } = await models.invitations.updateOne(
        { _id, organizationId, attempts: { $lt: ATTEMPTS } },
        { $inc: { attempts: 1 } },
      );
      if (modifiedCount === 0)
        throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many attempts: ask to be invited again');
    },

    /** In the transaction that takes somebody in. @throws AppError `INVITE_ALREADY_USED`, `EXPIRED`, `NOT_FOUND` */
    async consume({ _id, organizationId }: InvitationDocument): Promise<void> {
      await memberships.lock(organizationId.toHexString());
      await change(organizationId.toHexString(), _id.toHexString(), { acceptedAt: clock.now() });
    },

    mails: { invitation: composeMail },
  };
}
export type InvitationService = ReturnType<typeof createInvitationService>;

/** Whoever holds a token may try this many passwords of the account that it invites. */
const ATTEMPTS = 20;

function shown(invitation: InvitationDocument) {
  return { ...invitation, id: invitation._id };
}

async function nameOf(models: Models, { organizationId }: InvitationDocument): Promise<string> {
  const found = await models.organizations
    .findById(organizationId, 'name')
    .lean<OrganizationDocument>();
  if (!found) throw new AppError('NOT_FOUND', 'No such invitation');
  return found.name;
}

interface Sent {
  organizationName: string;
  token: string;
  publicUrl: string;
}

function mailOf(
  { email, role, inviterEmail }: InvitationDocument,
  { organizationName, token, publicUrl }: Sent,
) {
  return {
    to: email,
    subject: `Invitation to ${organizationName}`,
    paragraphs: [
      `${inviterEmail} invites you to join ${organizationName} in the role ${role}.`,
      `The invitation can be accepted once and ends after ${DAYS} days. If you do not know the sender, do nothing.`,
    ],
    action: {
      label: 'Accept the invitation',
      link: `${publicUrl}/accept-invite#token=${token}`,
      token,
    },
  };
}
