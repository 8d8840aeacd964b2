// Composes the mail of a broadcast when it is sent, for members who have not opted out (document 3, section 4.10).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type {
  AccountReader,
  Mailbox,
} from '../../identity/auth/accounts/account-reader.service.ts';
import type { OrganizationFacts } from '../../identity/organization/organization-facts.service.ts';
import type { NotificationDocument } from './notifications.model.ts';

interface Deps {
  accountReader: AccountReader;
  organizationFacts: OrganizationFacts;
}

export function createBroadcastMailService(
  { models }: Pick<Platform, 'models'>,
  { accountReader, organizationFacts }: Deps,
) {
  async function findRecipient(userId: Types.ObjectId): Promise<Mailbox | null> {
    const account = await accountReader.findMailbox(userId);
    const optOuts = account?.preferences?.notificationOptOuts?.email ?? [];
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
        const organizationName = await organizationFacts.findName(organizationId);
        const recipient = notification && (await findRecipient(notification.userId));
        if (!notification || organizationName === null || !recipient) return null;
        const sender = toQuotedName(organizationName);
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
