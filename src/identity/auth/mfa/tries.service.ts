// Limits wrong codes per user and day. Sign-ins and sessions count separately, so a stranger cannot exhaust the second.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { AFTER } from '../../../platform/mongo/queries.ts';
import type { UserDocument } from '../accounts/users.model.ts';

/** Whether a code is given at a sign-in or within a session. */
export type Door = 'signIn' | 'session';

const TRIES = 20;
const WINDOW_SECONDS = 24 * 3600;
/** The members of the second factor that hold the counts. */
const COUNTED = {
  signIn: { failures: 'mfa.failures', since: 'mfa.failingSince' },
  session: { failures: 'mfa.failuresInside', since: 'mfa.failingInsideSince' },
} as const satisfies Record<Door, object>;

/**
 * Counts an attempt before the code is checked, so that simultaneous guesses count too.
 * @throws AppError `RATE_LIMIT_EXCEEDED`
 */
export async function takeTry(
  platform: Platform,
  userId: string,
  door: Door,
): Promise<UserDocument> {
  // Without a transaction this write would occupy a connection while it waits for others, which need one to finish.
  const user = await platform.transaction(() => count(platform, userId, door));
  if (!user) throw await createLimitError(platform, userId, door);
  return user;
}

/** Returns the error for a user without attempts left. */
async function createLimitError(
  { clock, models }: Platform,
  userId: string,
  door: Door,
): Promise<AppError> {
  const now = clock.now();
  const user = await models.users.findById(userId).lean<UserDocument>();
  if (!user) return new AppError('UNAUTHORIZED_NO_USER');
  const { failingSince, failingInsideSince } = user.mfa;
  const since = (door === 'signIn' ? failingSince : failingInsideSince) ?? now;
  const passed = Math.floor((now.getTime() - since.getTime()) / 1000);
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many wrong codes', {
    data: { limit: TRIES, windowSeconds: WINDOW_SECONDS },
    headers: { 'Retry-After': String(Math.max(1, WINDOW_SECONDS - passed)) },
  });
}

async function count(
  { clock, models }: Platform,
  userId: string,
  door: Door,
): Promise<UserDocument | null> {
  const { failures, since } = COUNTED[door];
  const now = clock.now();
  const windowStart = new Date(now.getTime() - WINDOW_SECONDS * 1000);
  await models.users.updateOne(
    { _id: userId, [since]: { $not: { $gt: windowStart } } },
    { $set: { [failures]: 0, [since]: now } },
  );
  return models.users
    .findOneAndUpdate(
      { _id: userId, [failures]: { $lt: TRIES } },
      { $inc: { [failures]: 1 } },
      AFTER,
    )
    .lean<UserDocument>();
}
