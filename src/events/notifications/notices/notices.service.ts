// Tells members what happened, in the dashboard and by mail; storms of what waits become digests (docs/guides/notifications.md).
import type { mongo, Types } from 'mongoose';
import {
  type EventAbout,
  EVENTS,
  type EventName,
  type EventWords,
  type Informed,
  isWaiting,
  type NoticeEvent,
  WAITING,
} from '../../../domain/events/event-table.ts';
import { createMailRow } from '../../../domain/events/mail-row.ts';
import {
  countNotices,
  createDigestTitle,
  DIGEST_DEFAULT,
  type DigestSettings,
  isWanted,
} from '../../../domain/events/notices.ts';
import type { Announcement } from '../../../domain/events/announcement.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { listPreferences } from '../../../identity/auth/accounts/account-reader.service.ts';
import { listPresentMembers } from '../../../identity/organization/memberships/present-members.service.ts';
import type { OutboxRow } from '../../../platform/outbox/outbox-writer.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { NoticeWindowDocument } from './notice-windows.model.ts';

/** A notice of an event. */
interface Notice {
  words: EventWords;
  /** The payload of its mail to a member; null: it is not mailed. */
  createMail(shown: { userId: string; notificationId: string }): { kind: string } | null;
}

/** Notices of one event, oldest first. */
interface Batch {
  organizationId: string;
  event: EventName;
  at: Date;
  notices: readonly Notice[];
}

/** A member, and what they take of an event. */
interface Recipient {
  userId: Types.ObjectId;
  settings: DigestSettings;
  takesMail: boolean;
  isShown: boolean;
}

/** The part of a batch that one member gets. */
interface Share {
  recipient: Recipient;
  single: readonly (Notice & { _id: Types.ObjectId })[];
  /** How many are gathered in the digest; null: none. */
  digest: { _id: Types.ObjectId; count: number; event: NoticeEvent } | null;
}

type Options = { session?: mongo.ClientSession };

/** Maximum number of members who hear of what waits, longest-standing ones first. */
const RECIPIENTS_MAX = 500;

/**
 * Tells members what happened; resolves with how many hear of it. Writes in the session's transaction; without a
 * session, in that of the request.
 */
export async function notify<E extends EventName>(
  platform: Platform,
  announcement: Announcement<E>,
  session?: mongo.ClientSession,
): Promise<number> {
  const { organizationId, event, about, at = platform.clock.now() } = announcement;
  const options = session ? { session } : {};
  const recipients =
    about.length === 0 ? [] : await findRecipients(platform, announcement, options);
  if (recipients.length === 0) return 0;
  const batch = {
    organizationId,
    event,
    at,
    notices: about.map((one) => toNotice(event, one)),
  };
  const shares = isWaiting(event)
    ? await splitStorms(platform, { ...batch, event }, recipients, options)
    : recipients.map((recipient) => createShare(platform, recipient, batch.notices));
  await showNotices(platform, batch, shares, options);
  const mails = shares.flatMap((share) => createMails(organizationId, share));
  if (mails.length > 0)
    await (session ? platform.outbox.write(mails, session) : platform.outbox.queue(...mails));
  return recipients.length;
}

/** Deletes what the dashboard shows about erased decisions. */
export async function deleteNotices(
  { models }: Platform,
  { organizationId, subjects }: { organizationId: string; subjects: readonly string[] },
  session?: mongo.ClientSession,
): Promise<void> {
  const where = { organizationId, subject: { $in: [...subjects] } };
  await models.notifications.deleteMany(where, session ? { session } : {});
}

/** `userIds`: whose; absent: of all members. */
interface Settled {
  organizationId: string;
  subjects: readonly string[];
  userIds?: readonly string[];
}

/** Marks what the dashboard shows about decided items as read. */
export async function settleNotices(
  { models }: Platform,
  { organizationId, subjects, userIds }: Settled,
  session: mongo.ClientSession,
): Promise<void> {
  const userId = userIds && { userId: { $in: userIds.map(toObjectId) } };
  const where = { organizationId, subject: { $in: [...subjects] }, isRead: false, ...userId };
  await models.notifications.updateMany(where, { $set: { isRead: true } }, { session });
}

/** Members who take the event on no channel of it are left out. */
async function findRecipients(
  platform: Platform,
  { organizationId, event, audience = {} }: Announcement<EventName>,
  { session }: Options,
): Promise<Recipient[]> {
  const { isForced = false, roles } = EVENTS[event];
  const { except = [], ...choice } = audience;
  const members = await listPresentMembers(platform, organizationId, {
    ...(roles && { roles }),
    ...choice,
    ...(except.length > 0 && { except: except.filter((userId) => userId !== null) }),
    ...(isWaiting(event) && { limit: RECIPIENTS_MAX }),
    session,
  });
  if (isForced) return members.map(toForcedRecipient);
  const accounts = await listPreferences(platform, members, session);
  return accounts
    .map(({ userId, preferences: { notificationOptOuts, noticeDigest } }) => ({
      userId,
      settings: { ...DIGEST_DEFAULT, ...noticeDigest },
      takesMail: isWanted(event, 'email', notificationOptOuts),
      isShown: isWanted(event, 'inApp', notificationOptOuts),
    }))
    .filter(({ takesMail, isShown }) => isShown || (takesMail && isWaiting(event)));
}

const createShare = (
  { generateId }: Platform,
  recipient: Recipient,
  single: readonly Notice[],
  digest: Share['digest'] = null,
): Share => ({
  recipient,
  single: single.map((notice) => ({ ...notice, _id: toObjectId(generateId()) })),
  digest,
});

async function loadWindows(
  { models }: Platform,
  { organizationId, event }: Batch & { event: NoticeEvent },
  recipients: readonly Recipient[],
  options: Options,
): Promise<ReadonlyMap<string, NoticeWindowDocument>> {
  const userIds = recipients.map(({ userId }) => userId);
  const where = { organizationId, event, userId: { $in: userIds } };
  const windows = await models.noticeWindows
    .find(where, null, options)
    .lean<NoticeWindowDocument[]>();
  return new Map(windows.map((window) => [window.userId.toHexString(), window]));
}

/** Counts notices in the window of a member: the first ones are sent one by one, the others gathered. */
function splitShare(
  platform: Platform,
  { event, at, notices }: Batch & { event: NoticeEvent },
  recipient: Recipient,
  before: NoticeWindowDocument | null,
) {
  const count = { at, count: notices.length };
  const { window, single } = countNotices(before, count, recipient.settings);
  const digestId =
    before && before.gathered > 0 ? before.digestId : toObjectId(platform.generateId());
  const digest = { _id: digestId, count: window.gathered, event };
  const isGathered = single < notices.length;
  const share = createShare(
    platform,
    recipient,
    notices.slice(0, single),
    isGathered ? digest : null,
  );
  return { share, window: { ...window, digestId } };
}

/** Splits what each member gets, and stores their windows. */
async function splitStorms(
  platform: Platform,
  batch: Batch & { event: NoticeEvent },
  recipients: readonly Recipient[],
  options: Options,
): Promise<Share[]> {
  const { organizationId, event } = batch;
  const windows = await loadWindows(platform, batch, recipients, options);
  const split = recipients.map((recipient) =>
    splitShare(platform, batch, recipient, windows.get(recipient.userId.toHexString()) ?? null),
  );
  const updates = split.map(({ share, window }) => {
    const filter = { organizationId, event, userId: share.recipient.userId };
    return { updateOne: { filter, update: { $set: window }, upsert: true } };
  });
  await platform.models.noticeWindows.bulkWrite(updates, options);
  return split.map(({ share }) => share);
}

async function showNotices(
  { models }: Platform,
  { organizationId, event, at }: Batch,
  shares: readonly Share[],
  options: Options,
): Promise<void> {
  const shown = shares.filter(({ recipient }) => recipient.isShown);
  const common = { organizationId, type: EVENTS[event].type, ...(isWaiting(event) && { event }) };
  const rows = shown.flatMap(({ recipient: { userId }, single }) =>
    single.map(({ _id, words }) => ({ _id, ...common, userId, ...words })),
  );
  if (rows.length > 0) await models.notifications.insertMany(rows, options);
  const digests = shown.flatMap(({ recipient: { userId }, digest }) =>
    digest ? [createDigestUpdate({ organizationId, userId, at }, digest)] : [],
  );
  if (digests.length > 0) await models.notifications.bulkWrite(digests, options);
}

const toForcedRecipient = (userId: Types.ObjectId): Recipient => ({
  userId,
  settings: DIGEST_DEFAULT,
  takesMail: true,
  isShown: true,
});

function toNotice<E extends EventName>(event: E, about: EventAbout<E>): Notice {
  const row: Informed<EventAbout<E>> = EVENTS[event];
  const words = row.words(about);
  return {
    words,
    createMail: (shown) => row.mail?.(about, { event, words, ...shown }) ?? null,
  };
}

/** Counts on in the notification of the digest, also when its reader has deleted it. */
function createDigestUpdate(
  { organizationId, userId, at }: { organizationId: string; userId: Types.ObjectId; at: Date },
  { _id, count, event }: NonNullable<Share['digest']>,
) {
  const { type, page: link } = WAITING[event];
  const change = { title: createDigestTitle(event, count), count, isRead: false, updatedAt: at };
  const common = { type, event, body: null, link, sentBy: null, createdAt: at };
  return {
    updateOne: {
      filter: { _id, organizationId, userId },
      update: { $set: change, $setOnInsert: common },
      upsert: true,
      timestamps: false,
    },
  };
}

function createMails(organizationId: string, { recipient, single }: Share): OutboxRow[] {
  if (!recipient.takesMail) return [];
  const userId = recipient.userId.toHexString();
  return single.flatMap(({ _id, words: { subject }, createMail }) => {
    const payload = createMail({ userId, notificationId: _id.toHexString() });
    if (!payload) return [];
    return [
      { ...createMailRow(organizationId, payload), ...(subject !== undefined && { subject }) },
    ];
  });
}
