// Notifies members of what waits for them, in the dashboard and by mail; storms become digests (docs/guides/notifications.md).
import type { mongo, Types } from 'mongoose';
import {
  countNotices,
  createDigestTitle,
  findListPage,
  NOTICE_TYPES,
  type NoticeEvent,
  type NoticeWindow,
} from '../../../domain/events/notices.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { OutboxRow } from '../../../platform/outbox/outbox-writer.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { NoticeWindowDocument } from './notice-windows.model.ts';
import {
  type Audience,
  findRecipients,
  type Recipient,
  type RecipientDeps,
} from './notice-recipients.ts';

export type { Audience };

export interface Notice {
  title: string;
  body: string;
  /** A page of the console. */
  link: string;
  /** The decision that it is about, if any. */
  subject?: string;
  /** Parameters for the composer of the mail, if it takes any. */
  about?: Readonly<Record<string, string>>;
}

/** Notices of one event, oldest first, and whom they are for. */
export interface NoticeBatch {
  organizationId: string;
  event: NoticeEvent;
  at: Date;
  audience: Audience;
  notices: readonly Notice[];
}

/** The part of a batch that one member gets. */
interface Share {
  recipient: Recipient;
  window: NoticeWindow;
  digestId: Types.ObjectId;
  single: readonly Notice[];
  gathered: number;
}

export const NOTICE_MAIL = 'notice';

export function createNoticeService(
  { models, outbox, generateId }: Pick<Platform, 'models' | 'outbox' | 'generateId'>,
  deps: RecipientDeps,
) {
  type Options = { session?: mongo.ClientSession };

  async function loadWindows(
    { organizationId, event }: NoticeBatch,
    recipients: readonly Recipient[],
    options: Options,
  ): Promise<ReadonlyMap<string, NoticeWindowDocument>> {
    const userIds = recipients.map(({ userId }) => userId);
    const where = { organizationId, event, userId: { $in: userIds } };
    const found = await models.noticeWindows
      .find(where, null, options)
      .lean<NoticeWindowDocument[]>();
    return new Map(found.map((window) => [window.userId.toHexString(), window]));
  }

  async function saveWindows(
    { organizationId, event }: NoticeBatch,
    shares: readonly Share[],
    options: Options,
  ): Promise<void> {
    const updates = shares.map(({ recipient: { userId }, window, digestId }) => ({
      updateOne: {
        filter: { organizationId, event, userId },
        update: { $set: { ...window, digestId } },
        upsert: true,
      },
    }));
    await models.noticeWindows.bulkWrite(updates, options);
  }

  async function showNotices(
    batch: NoticeBatch,
    shares: readonly Share[],
    options: Options,
  ): Promise<void> {
    const shown = shares.filter(({ recipient }) => recipient.isShown);
    const rows = shown.flatMap((share) => createRows(batch, share));
    if (rows.length > 0) await models.notifications.insertMany(rows, options);
    const digests = shown.filter(({ gathered }) => gathered > 0);
    const updates = digests.map((share) => createDigestUpdate(batch, share));
    if (updates.length > 0) await models.notifications.bulkWrite(updates, options);
  }

  return {
    /** Writes in the session's transaction; without a session, in that of the request. */
    async notify(batch: NoticeBatch, session?: mongo.ClientSession): Promise<void> {
      const { organizationId, event, audience, notices } = batch;
      if (notices.length === 0) return;
      const about = { organizationId, event };
      const recipients = await findRecipients(deps, about, { audience, session });
      if (recipients.length === 0) return;
      const options = session ? { session } : {};
      const windows = await loadWindows(batch, recipients, options);
      const shares = recipients.map((recipient) =>
        splitNotices(batch, recipient, {
          before: windows.get(recipient.userId.toHexString()) ?? null,
          newId: toObjectId(generateId()),
        }),
      );
      await saveWindows(batch, shares, options);
      await showNotices(batch, shares, options);
      const mails = shares
        .filter(({ recipient }) => recipient.takesMail)
        .flatMap((share) => createMails(batch, share));
      await (session ? outbox.write(mails, session) : outbox.queue(...mails));
    },

    /** Deletes what the dashboard shows about erased decisions. */
    async deleteNotices(
      organizationId: string,
      subjects: readonly string[],
      session?: mongo.ClientSession,
    ): Promise<void> {
      const where = { organizationId, subject: { $in: [...subjects] } };
      await models.notifications.deleteMany(where, session ? { session } : {});
    },

    /** Marks what the dashboard shows about decided items as read. */
    async settleNotices(
      organizationId: string,
      subjects: readonly string[],
      session: mongo.ClientSession,
    ): Promise<void> {
      const where = { organizationId, subject: { $in: [...subjects] }, isRead: false };
      await models.notifications.updateMany(where, { $set: { isRead: true } }, { session });
    },
  };
}
export type NoticeService = ReturnType<typeof createNoticeService>;

function splitNotices(
  { at, notices }: NoticeBatch,
  recipient: Recipient,
  { before, newId }: { before: NoticeWindowDocument | null; newId: Types.ObjectId },
): Share {
  const { settings } = recipient;
  const counted = countNotices(before, { at, count: notices.length }, settings);
  const { window, single } = counted;
  const isNewDigest = before === null || before.gathered === 0;
  return {
    recipient,
    window,
    digestId: isNewDigest ? newId : before.digestId,
    single: notices.slice(0, single),
    gathered: notices.length - single,
  };
}

function createRows(
  { organizationId, event }: NoticeBatch,
  { recipient, single }: Share,
): object[] {
  return single.map(({ title, body, link, subject }) => ({
    organizationId,
    userId: recipient.userId,
    type: NOTICE_TYPES[event],
    event,
    title,
    body,
    link,
    ...(subject !== undefined && { subject }),
  }));
}

/** Counts on in the notification of the digest, also when its reader has deleted it. */
function createDigestUpdate(
  { organizationId, event, at }: NoticeBatch,
  { recipient: { userId }, window, digestId }: Share,
) {
  const title = createDigestTitle(event, window.gathered);
  const change = { title, count: window.gathered, isRead: false, updatedAt: at };
  const common = {
    type: NOTICE_TYPES[event],
    event,
    body: null,
    link: findListPage(event),
    sentBy: null,
    createdAt: at,
  };
  return {
    updateOne: {
      filter: { _id: digestId, organizationId, userId },
      update: { $set: change, $setOnInsert: common },
      upsert: true,
      timestamps: false,
    },
  };
}

function createMails(
  { organizationId, event }: NoticeBatch,
  { recipient, single }: Share,
): OutboxRow[] {
  const userId = recipient.userId.toHexString();
  return single.map(({ title, body, link, subject, about = {} }) => {
    const payload = { kind: NOTICE_MAIL, userId, event, title, body, link, about };
    const lane = sha256Hex(`${organizationId} mail ${userId}`);
    const row = { organizationId, topic: 'mail', lane, payload };
    return subject === undefined ? row : { ...row, subject };
  });
}
