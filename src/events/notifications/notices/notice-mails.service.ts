// Composes the mails of notices when they are sent, for members who may still act on them and have not opted out.
import type { Types } from 'mongoose';
import { type NoticeEvent, WAITING } from '../../../domain/events/event-table.ts';
import { createDigestTitle, isWanted } from '../../../domain/events/notices.ts';
import { REVIEWERS, type Role } from '../../../domain/identity/roles.ts';
import { toQuotedName } from '../../../domain/names/quoted-name.ts';
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { Platform } from '../../../platform/platform.ts';
import { findMailbox } from '../../../identity/auth/accounts/account-reader.service.ts';
import { findPresentMember } from '../../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationName } from '../../../identity/organization/organization-facts.service.ts';
import type { NotificationDocument } from '../notifications.model.ts';
import type { OutboxDocument } from '../../../platform/outbox/outbox.model.ts';
import { describeWaiting } from '../../cards/event-cards.service.ts';

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

export function composeNoticeMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const notice = payload as unknown as NoticePayload;
  return composeMail(platform, organizationId, notice, (reader) =>
    describeNotice(platform, organizationId, notice, reader),
  );
}

export function composeDigestMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const heard = payload as unknown as Heard & { count: number };
  const title = createDigestTitle(heard.event, heard.count);
  const why =
    'They came too fast to send each by itself; your preferences say after how many that is.';
  const link = `${platform.publicUrl}${WAITING[heard.event].page}`;
  const words = { title, paragraphs: [title, why], action: { label: 'See them all', link } };
  return composeMail(platform, organizationId, heard, () => Promise.resolve(words));
}

/** Null when the notification, organisation or account is gone, or the member has opted out. */
export async function composeBroadcastMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const notification = await platform.models.notifications
    .findOne({ organizationId, _id: payload.notificationId as string })
    .lean<NotificationDocument>();
  const sender = await findSender(platform, organizationId);
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
}

/** Null: no member any more, of another role by now, without a proved mailbox, or opted out. */
async function findReader(
  platform: Platform,
  organizationId: Types.ObjectId,
  { userId, event }: Heard,
): Promise<MailReader | null> {
  const member = await findPresentMember(platform, organizationId, userId);
  if (!member || !WAITING[event].roles.includes(member.role)) return null;
  const account = await findMailbox(platform, userId);
  if (!account || !isWanted(event, 'email', account.preferences?.notificationOptOuts)) return null;
  if (platform.config.requireVerifiedEmail && account.emailVerifiedAt === null) return null;
  return { userId, email: account.email, role: member.role };
}

/** Null when the organisation is gone. */
async function findSender(
  platform: Platform,
  organizationId: Types.ObjectId,
): Promise<string | null> {
  const name = await findOrganizationName(platform, organizationId);
  return name === null ? null : toQuotedName(name);
}

async function composeMail(
  platform: Platform,
  organizationId: Types.ObjectId,
  heard: Heard,
  describe: (reader: MailReader) => Promise<MailWords | null>,
): Promise<MailContent | null> {
  const reader = await findReader(platform, organizationId, heard);
  const sender = reader && (await findSender(platform, organizationId));
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
  platform: Platform,
  organizationId: Types.ObjectId,
  { event, title, body, link, about: { traceId = '' } }: NoticePayload,
  { userId, role }: MailReader,
): Promise<MailWords | null> {
  if (!event.startsWith('review.')) {
    const paragraphs = [title, body].filter((text) => text !== '');
    return {
      title,
      paragraphs,
      action: { label: 'Open it', link: `${platform.publicUrl}${link}` },
    };
  }
  const reader = { userId, mayDecide: REVIEWERS.includes(role) };
  const found = await describeWaiting(
    platform,
    { organizationId: organizationId.toHexString(), traceId },
    reader,
  );
  if (!found) return null;
  const facts = found.facts.map(([name, value]) => `${name}: ${value}`);
  const { label, url } = found.action;
  return { title, paragraphs: [`${title}.`, ...facts], action: { label, link: url } };
}
