// Composes the mails of notices when they are sent, for members who may still act on them and have not opted out.
import type { Types } from 'mongoose';
import {
  createDigestTitle,
  findListPage,
  isWanted,
  NOTICE_ROLES,
  type NoticeEvent,
} from '../../../domain/events/notices.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { toQuotedName } from '../../../domain/names/quoted-name.ts';
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../../platform/outbox/outbox.model.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { AccountReader } from '../../../identity/auth/accounts/account-reader.service.ts';
import type { PresentMembers } from '../../../identity/organization/memberships/present-members.service.ts';
import type { OrganizationFacts } from '../../../identity/organization/organization-facts.service.ts';
import { DIGEST_MAIL } from './notice-digests.service.ts';
import { NOTICE_MAIL } from './notices.service.ts';

type Row = Pick<OutboxDocument, 'organizationId' | 'payload' | 'createdAt'>;

/** The person a mail goes to. */
export interface MailReader {
  userId: string;
  email: string;
  role: Role;
  /** The mailbox was proved to be the person's. */
  isProved: boolean;
}

/** A mail about one thing that waits: its words, and where to act. */
export interface NoticeWords {
  title: string;
  paragraphs: readonly string[];
  label: string;
  /** An absolute URL. */
  link: string;
}

/** The payload of a notice's row. */
export interface NoticePayload {
  userId: string;
  event: NoticeEvent;
  title: string;
  body: string;
  link: string;
  about: Readonly<Record<string, string>>;
}

/** Composes the words about a held decision; null: it no longer waits. */
export type ComposeReviewNotice = (
  organizationId: string,
  payload: NoticePayload,
  reader: MailReader,
) => Promise<NoticeWords | null>;

interface Deps {
  composeReviewNotice: ComposeReviewNotice;
  accountReader: AccountReader;
  organizationFacts: OrganizationFacts;
  presentMembers: PresentMembers;
}

export function createNoticeMailService(
  { publicUrl, config }: Pick<Platform, 'publicUrl' | 'config'>,
  { composeReviewNotice, accountReader, organizationFacts, presentMembers }: Deps,
) {
  /** Null: no member any more, of another role by now, without a proved mailbox, or opted out. */
  async function findReader(
    organizationId: Types.ObjectId,
    { userId, event }: Pick<NoticePayload, 'userId' | 'event'>,
  ): Promise<MailReader | null> {
    const member = await presentMembers.findMember(organizationId, userId);
    if (!member || !NOTICE_ROLES[event].includes(member.role)) return null;
    const account = await accountReader.findMailbox(userId);
    if (!account || !isWanted(event, 'email', account.preferences?.notificationOptOuts))
      return null;
    const isProved = account.emailVerifiedAt !== null;
    if (config.requireVerifiedEmail && !isProved) return null;
    return { userId, email: account.email, role: member.role, isProved };
  }

  /** Null when the organisation is gone. */
  async function findSender(organizationId: Types.ObjectId): Promise<string | null> {
    const name = await organizationFacts.findName(organizationId);
    return name === null ? null : toQuotedName(name);
  }

  async function composeWords(
    organizationId: string,
    payload: NoticePayload,
    reader: MailReader,
  ): Promise<NoticeWords | null> {
    const { event, title, body, link } = payload;
    if (event.startsWith('review.')) return composeReviewNotice(organizationId, payload, reader);
    const page = { label: 'Open it', link: `${publicUrl}${link}` };
    return { title, paragraphs: [title, body].filter((text) => text !== ''), ...page };
  }

  return {
    /** Composers of mails, keyed by the `kind` of the outbox row. */
    mails: {
      async [NOTICE_MAIL]({ organizationId, payload }: Row): Promise<MailContent | null> {
        const notice = payload as unknown as NoticePayload;
        const reader = await findReader(organizationId, notice);
        const sender = reader && (await findSender(organizationId));
        if (!reader || sender === null) return null;
        const words = await composeWords(organizationId.toHexString(), notice, reader);
        if (!words) return null;
        const { title, paragraphs, label, link } = words;
        return {
          to: reader.email,
          subject: `${sender}: ${title}`,
          paragraphs: [...paragraphs, describeOptOut(notice.event)],
          action: { label, link, token: null },
        };
      },

      async [DIGEST_MAIL]({ organizationId, payload }: Row): Promise<MailContent | null> {
        const { userId, event, count } = payload as unknown as NoticePayload & { count: number };
        const reader = await findReader(organizationId, { userId, event });
        const sender = reader && (await findSender(organizationId));
        if (!reader || sender === null) return null;
        const title = createDigestTitle(event, count);
        return {
          to: reader.email,
          subject: `${sender}: ${title}`,
          paragraphs: [
            title,
            'They came too fast to send each by itself; your preferences say after how many that is.',
            describeOptOut(event),
          ],
          action: {
            label: 'See them all',
            link: `${publicUrl}${findListPage(event)}`,
            token: null,
          },
        };
      },
    },
  };
}
export type NoticeMailService = ReturnType<typeof createNoticeMailService>;

const describeOptOut = (event: NoticeEvent): string =>
  `You can opt out of these mails (${event.replace('.', ': ')}) in your preferences.`;
