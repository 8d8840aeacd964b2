// Composes the mails of notices when they are sent, for members who may still act on them and have not opted out.
import type { Types } from 'mongoose';
import { NOTICE_MAIL, type NoticeEvent, WAITING } from '../../../domain/events/event-table.ts';
import { createDigestTitle, isWanted } from '../../../domain/events/notices.ts';
import { REVIEWERS, type Role } from '../../../domain/identity/roles.ts';
import { toQuotedName } from '../../../domain/names/quoted-name.ts';
import type { ComposeMail } from '../../../platform/mail/mail-delivery.ts';
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { Platform } from '../../../platform/platform.ts';
import { findMailbox } from '../../../identity/auth/accounts/account-reader.service.ts';
import { findPresentMember } from '../../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationName } from '../../../identity/organization/organization-facts.service.ts';
import type { EventCards } from '../../cards/event-cards.service.ts';
import type { NotificationDocument } from '../notifications.model.ts';
import { DIGEST_MAIL } from './notice-digests.service.ts';

/** The person a mail goes to. */
interface MailReader {
  userId: string;
  email: string;
  role: Role;
}

/** What a mail says, and the page where people act on it. */
interface MailWords {
  title: string;
  paragraphs: readonly string[];
  action: { label: string; link: string };
}

interface Heard {
  userId: string;
  event: NoticeEvent;
}

/** The payload of a notice's row. */
interface NoticePayload extends Heard {
  title: string;
  body: string;
  link: string;
  about: { traceId?: string };
}

interface Deps {
  eventCards: EventCards;
}

export function createNoticeMailService(platform: Platform, { eventCards }: Deps) {
  const { models, publicUrl, config } = platform;
  /** Null: no member any more, of another role by now, without a proved mailbox, or opted out. */
  async function findReader(
    organizationId: Types.ObjectId,
    { userId, event }: Heard,
  ): Promise<MailReader | null> {
    const member = await findPresentMember(platform, organizationId, userId);
    if (!member || !WAITING[event].roles.includes(member.role)) return null;
    const account = await findMailbox(platform, userId);
    if (!account || !isWanted(event, 'email', account.preferences?.notificationOptOuts))
      return null;
    if (config.requireVerifiedEmail && account.emailVerifiedAt === null) return null;
    return { userId, email: account.email, role: member.role };
  }

  /** Null when the organisation is gone. */
  async function findSender(organizationId: Types.ObjectId): Promise<string | null> {
    const name = await findOrganizationName(platform, organizationId);
    return name === null ? null : toQuotedName(name);
  }

  async function compose(
    organizationId: Types.ObjectId,
    heard: Heard,
    describe: (reader: MailReader) => Promise<MailWords | null>,
  ): Promise<MailContent | null> {
    const reader = await findReader(organizationId, heard);
    const sender = reader && (await findSender(organizationId));
    const words = reader && sender !== null ? await describe(reader) : null;
    if (!reader || !words) return null;
    return {
      to: reader.email,
      subject: `${sender}: ${words.title}`,
      paragraphs: [
        ...words.paragraphs,
        `You can opt out of these mails (${heard.event.replace('.', ': ')}) in your preferences.`,
      ],
      action: { ...words.action, token: null },
    };
  }

  /** Null: it is about a decision that no longer waits. */
  async function describeNotice(
    organizationId: Types.ObjectId,
    { event, title, body, link, about: { traceId = '' } }: NoticePayload,
    { userId, role }: MailReader,
  ): Promise<MailWords | null> {
    if (!event.startsWith('review.')) {
      const paragraphs = [title, body].filter((text) => text !== '');
      return { title, paragraphs, action: { label: 'Open it', link: `${publicUrl}${link}` } };
    }
    const reader = { userId, mayDecide: REVIEWERS.includes(role) };
    const found = await eventCards.describeWaiting(organizationId.toHexString(), traceId, reader);
    if (!found) return null;
    const facts = found.facts.map(([name, value]) => `${name}: ${value}`);
    const { label, url } = found.action;
    return { title, paragraphs: [`${title}.`, ...facts], action: { label, link: url } };
  }

  const digest: ComposeMail = ({ organizationId, payload }) => {
    const heard = payload as unknown as Heard & { count: number };
    const title = createDigestTitle(heard.event, heard.count);
    const why =
      'They came too fast to send each by itself; your preferences say after how many that is.';
    const link = `${publicUrl}${WAITING[heard.event].page}`;
    const words = { title, paragraphs: [title, why], action: { label: 'See them all', link } };
    return compose(organizationId, heard, () => Promise.resolve(words));
  };

  /** Null when the notification, organisation or account is gone, or the member has opted out. */
  const broadcast: ComposeMail = async ({ organizationId, payload }) => {
    const notification = await models.notifications
      .findOne({ organizationId, _id: payload.notificationId as string })
      .lean<NotificationDocument>();
    const sender = await findSender(organizationId);
    const account = notification && (await findMailbox(platform, notification.userId));
    const isTaken = isWanted('broadcast', 'email', account?.preferences?.notificationOptOuts);
    if (!account || sender === null || !isTaken) return null;
    return {
      to: account.email,
      subject: `${sender}: ${notification.title}`,
      paragraphs: [
        `To all members of ${sender}:`,
        ...(notification.body ?? '').split(/\n\s*\n/),
        'You can opt out of these mails in your preferences.',
      ],
      action: null,
    };
  };

  return {
    /** Composers of mails, keyed by the `kind` of the outbox row. */
    mails: {
      [NOTICE_MAIL]: ({ organizationId, payload }) => {
        const notice = payload as unknown as NoticePayload;
        return compose(organizationId, notice, (reader) =>
          describeNotice(organizationId, notice, reader),
        );
      },
      [DIGEST_MAIL]: digest,
      broadcast,
    } satisfies Record<string, ComposeMail>,
  };
}
