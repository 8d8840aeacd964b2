// The mail of an invitation, composed when it is sent; its token is derived and never stored (document 1, section 2).
import { createHmac } from 'node:crypto';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { findOrganizationName } from '../organization/organization-facts.service.ts';
import { toInvitationEnd } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';

/** The mail always links to the page where the invitation is accepted. */
type InvitationMail = MailContent & { action: NonNullable<MailContent['action']> };

/** Returns the stored hash of the token of an invitation. */
export function hashInvitationToken({ secrets }: Platform, invitationId: string): string {
  return sha256Hex(deriveInvitationToken(secrets.ledgerKey, invitationId));
}

/** Queues the mail; call it in the transaction of the change. */
export async function sendInvitation(
  { queueMail }: Platform,
  { _id, organizationId }: InvitationDocument,
): Promise<void> {
  const payload = { kind: 'invitation', invitationId: _id.toHexString() };
  await queueMail(organizationId.toHexString(), payload);
}

/** Null when the invitation has ended since. */
export async function composeInvitation(
  platform: Platform,
  { organizationId, payload }: Pick<OutboxDocument, 'organizationId' | 'payload'>,
): Promise<InvitationMail | null> {
  const { models, clock, publicUrl, secrets } = platform;
  const _id = payload.invitationId as string;
  const invitation = await models.invitations
    .findOne({ organizationId, _id })
    .lean<InvitationDocument>();
  const organizationName = await findOrganizationName(platform, organizationId);
  const isOver = !invitation || toInvitationEnd(invitation, clock.now()) !== null;
  if (isOver || organizationName === null) return null;
  const token = deriveInvitationToken(secrets.ledgerKey, _id);
  const link = `${publicUrl}/accept-invite#token=${token}`;
  return composeInvitationMail(invitation, { organizationName, token, link });
}

function composeInvitationMail(
  { email, role, inviterEmail }: InvitationDocument,
  { organizationName, token, link }: { organizationName: string; token: string; link: string },
): InvitationMail {
  return {
    to: email,
    subject: `Invitation to ${toQuotedName(organizationName)}`,
    paragraphs: [
      `${inviterEmail} invites you to join ${toQuotedName(organizationName)} in the role ${role}.`,
      'The invitation can be accepted once and ends after 7 days. If you do not know the sender, do nothing.',
    ],
    action: { label: 'Accept the invitation', link, token },
  };
}

/** 43 base64url characters, the same for the same id (24 hex digits): HMAC-SHA256 (RFC 2104). */
function deriveInvitationToken(key: string, invitationId: string): string {
  return createHmac('sha256', key).update(`assay:invitation:${invitationId}`).digest('base64url');
}
