// The mail of an invitation, composed when it is sent; its token is derived and never stored (document 1, section 2).
import { createHmac } from 'node:crypto';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OrganizationFacts } from '../organization/organization-facts.service.ts';
import { toInvitationEnd } from './invitation-state.ts';
import type { InvitationDocument } from './invitations.model.ts';

/** The mail always links to the page where the invitation is accepted. */
type InvitationMail = MailContent & { action: NonNullable<MailContent['action']> };

export function createInvitationMailService(
  platform: Pick<Platform, 'models' | 'clock' | 'publicUrl' | 'secrets' | 'queueMail'>,
  { organizationFacts }: { organizationFacts: OrganizationFacts },
) {
  const { models, clock, publicUrl, secrets, queueMail } = platform;
  const deriveToken = (invitationId: string): string =>
    deriveInvitationToken(secrets.ledgerKey, invitationId);

  return {
    /** Returns the stored hash of the token of an invitation. */
    hashToken: (invitationId: string): string => sha256Hex(deriveToken(invitationId)),

    /** Queues the mail; call it in the transaction of the change. */
    async sendInvitation({ _id, organizationId }: InvitationDocument): Promise<void> {
      const payload = { kind: 'invitation', invitationId: _id.toHexString() };
      await queueMail(organizationId.toHexString(), payload);
    },

    /** Keys are the `kind` of the outbox row. */
    mails: {
      /** Null when the invitation has ended since. */
      async invitation({
        organizationId,
        payload,
      }: Pick<OutboxDocument, 'organizationId' | 'payload'>): Promise<InvitationMail | null> {
        const _id = payload.invitationId as string;
        const invitation = await models.invitations
          .findOne({ organizationId, _id })
          .lean<InvitationDocument>();
        const organizationName = await organizationFacts.findName(organizationId);
        const isOver = !invitation || toInvitationEnd(invitation, clock.now()) !== null;
        if (isOver || organizationName === null) return null;
        const token = deriveToken(_id);
        const link = `${publicUrl}/accept-invite#token=${token}`;
        return composeInvitationMail(invitation, { organizationName, token, link });
      },
    },
  };
}
export type InvitationMailService = ReturnType<typeof createInvitationMailService>;

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
