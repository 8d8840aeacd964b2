// Composes the mail of a broadcast when it is sent, for members who have not opted out (document 3, section 4.10).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { NotificationDocument } from './notifications.model.ts';

/** The fields of an account that a mail needs. */
interface Recipient {
  email: string;
  preferences: { notificationOptOuts: { email: string[] } };
}

export function createBroadcastMailService({ models }: Pick<Platform, 'models'>) {
  async function findRecipient(userId: Types.ObjectId): Promise<Recipient | null> {
    const account = await models.users.findById(userId, 'email preferences').lean<Recipient>();
    const optOuts = account?.preferences.notificationOptOuts.email ?? [];
    return optOuts.includes('broadcast') ? null : account;
  }

  return {
    /** Composers of mails, keyed by the `kind` of the outbox row. */
    mails: {
      /** Returns null when the notification, organisation or account is gone, or the member has opted out. */
      async broadcast({
        organizationId,
        payload,
      }: Pick<OutboxDocument, 'organizationId' | 'payload'>): Promise<MailContent | null> {
        const notification = await models.notifications
          .findOne({ organizationId, _id: payload.notificationId as string })
          .lean<NotificationDocument>();
        const organization = await models.organizations
          .findById(organizationId, 'name')
          .lean<{ name: string }>();
        const recipient = notification && (await findRecipient(notification.userId));
        if (!notification || !organization || !recipient) return null;
        const sender = toQuotedName(organization.name);
        return {
          to: recipient.email,
          subject: `${sender}: ${notification.title}`,
          paragraphs: [
            `To all members of ${sender}:`,
            ...(notification.body ?? '').split(/\n\s*\n/),
            'You can opt out of these mails in your preferences.',
          ],
          action: null,
        };
      },
    },
  };
}
