// The timed job that sends the digests of notices whose windows have ended.
import { closeDigest, DIGEST_DEFAULT, isWanted } from '../../../domain/events/notices.ts';
import { listPreferences } from '../../../identity/auth/accounts/account-reader.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { NoticeWindowDocument } from './notice-windows.model.ts';

/** Maximum number of digests per run; the rest waits for the next. */
const BATCH = 500;
export const DIGEST_MAIL = 'notice-digest';

/** One that fails does not hold up the others. */
export async function sendDigests(platform: Platform): Promise<void> {
  const due = await platform.models.noticeWindows
    .find({ gathered: { $gt: 0 }, endsAt: { $lte: platform.clock.now() } }, '_id organizationId', {
      crossTenant: true,
      sort: { endsAt: 1 },
      limit: BATCH,
    })
    .lean<NoticeWindowDocument[]>();
  for (const window of due)
    try {
      await platform.transaction(() => sendDigest(platform, window));
    } catch (error) {
      platform.logger.error(
        { err: error, window: window._id },
        'a digest of notices cannot be sent',
      );
    }
}

/** Runs in one transaction: a notice that comes at the same time is in this digest or in the next. */
async function sendDigest(
  platform: Platform,
  { _id, organizationId }: NoticeWindowDocument,
): Promise<void> {
  const due = { _id, organizationId, gathered: { $gt: 0 }, endsAt: { $lte: platform.clock.now() } };
  const window = await platform.models.noticeWindows.findOne(due).lean<NoticeWindowDocument>();
  if (!window) return;
  const { userId, event, gathered } = window;
  const [account] = await listPreferences(platform, [userId]);
  const settings = { ...DIGEST_DEFAULT, ...account?.preferences.noticeDigest };
  const $set = closeDigest(platform.clock.now(), settings);
  await platform.models.noticeWindows.updateOne({ _id, organizationId }, { $set });
  if (!isWanted(event, 'email', account?.preferences.notificationOptOuts)) return;
  const mail = { kind: DIGEST_MAIL, userId: userId.toHexString(), event, count: gathered };
  await platform.queueMail(organizationId.toHexString(), mail);
}
