// Invitations for the team: created, listed, sent again, withdrawn (document 1, sections 3 and 4.4).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import { AFTER, findOr404, insertOne } from '../../platform/mongo/queries.ts';
import { findUserIdByAddress } from '../auth/accounts/account-reader.service.ts';
import {
  lockOrganization,
  findMembership,
} from '../organization/memberships/memberships.service.ts';
import { hashInvitationToken, sendInvitation } from './invitation-mails.service.ts';
import { requireInvitationQuota } from './invitation-quota.service.ts';
import { toPendingFilter, toInvitationRefusal } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';
import type { invitationInput } from './invitations.schemas.ts';
import { requireOwner } from './members.service.ts';
import type { UserContext, Context } from '../../platform/context.ts';

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

/** Lists pending invitations, newest first. */
export async function listInvitations({
  platform: { models, clock },
  tenant: { organizationId },
}: Context): Promise<InvitationView[]> {
  const found = await models.invitations
    .find(toPendingFilter(organizationId, clock.now()))
    .sort({ createdAt: -1, _id: -1 })
    .lean<InvitationDocument[]>();
  return found.map(toView);
}

/** @throws AppError `ALREADY_MEMBER`, `FORBIDDEN` for an admin who invites an owner or auditor, `RATE_LIMIT_EXCEEDED` */
export async function createInvitation(
  { platform, tenant: { organizationId }, user: inviter }: UserContext,
  { email, role }: z.output<typeof invitationInput>,
): Promise<InvitationView> {
  requireOwner(inviter.role, role);
  if (role === 'auditor' && inviter.role !== 'owner')
    throw new AppError('FORBIDDEN', 'Only an owner makes an auditor');
  await lockOrganization(platform, organizationId);
  await requireUnknown(platform, organizationId, email);
  await requireInvitationQuota(platform, organizationId, email);
  const _id = platform.generateId();
  const invitation = await insertOne(platform.models.invitations, {
    _id,
    organizationId,
    email,
    role,
    tokenHash: hashInvitationToken(platform, _id),
    invitedBy: inviter.userId,
    inviterEmail: inviter.email,
    expiresAt: computeExpiry(platform),
    sentAt: [platform.clock.now()],
  });
  await sendInvitation(platform, invitation);
  return toView(invitation);
}

/**
 * Extends the same token by seven days.
 * @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED`, `RATE_LIMIT_EXCEEDED`
 */
export async function sendInvitationAgain(
  { platform, tenant: { organizationId } }: Context,
  invitationId: string,
): Promise<InvitationView> {
  await lockOrganization(platform, organizationId);
  const { email, sentAt } = await findOr404(
    platform.models.invitations
      .findOne({ organizationId, _id: invitationId })
      .lean<InvitationDocument>(),
  );
  await requireInvitationQuota(platform, organizationId, email);
  const tokenHash = hashInvitationToken(platform, invitationId);
  const sent = [...sentAt, platform.clock.now()].slice(-SENT_KEPT);
  const renewed = { expiresAt: computeExpiry(platform), attempts: 0, tokenHash, sentAt: sent };
  const invitation = await changeInvitation(platform, organizationId, invitationId, renewed);
  await sendInvitation(platform, invitation);
  return toView(invitation);
}

/** @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
export async function revokeInvitation(
  { platform, tenant: { organizationId } }: Context,
  invitationId: string,
): Promise<RevokedInvitation> {
  const { _id, email } = await changeInvitation(platform, organizationId, invitationId, {
    revokedAt: platform.clock.now(),
  });
  return { _id, email, revoked: true };
}

/**
 * Marks it accepted; call it in the transaction of the acceptance.
 * @throws AppError `INVITE_ALREADY_USED`, `EXPIRED`, `NOT_FOUND`
 */
export async function consumeInvitation(
  platform: Platform,
  { _id, organizationId }: InvitationDocument,
): Promise<void> {
  await lockOrganization(platform, organizationId.toHexString());
  await changeInvitation(platform, organizationId.toHexString(), _id.toHexString(), {
    acceptedAt: platform.clock.now(),
  });
}

const computeExpiry = ({ clock }: Platform): Date => new Date(clock.now().getTime() + LIFETIME_MS);

/** Changes a pending invitation. @throws AppError `NOT_FOUND`, `INVITE_ALREADY_USED`, `EXPIRED` */
async function changeInvitation(
  { clock, models }: Platform,
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
async function requireUnknown(
  platform: Platform,
  organizationId: string,
  email: string,
): Promise<void> {
  const userId = await findUserIdByAddress(platform, email);
  if (userId && (await findMembership(platform, organizationId, userId.toHexString())))
    throw new AppError('ALREADY_MEMBER', 'This person is a member already');
  if (
    await platform.models.invitations.exists({
      ...toPendingFilter(organizationId, platform.clock.now()),
      email,
    })
  )
    throw new AppError('ALREADY_MEMBER', 'This person has been invited already');
}

function toView(invitation: InvitationDocument): InvitationView {
  return { ...invitation, id: invitation._id };
}
