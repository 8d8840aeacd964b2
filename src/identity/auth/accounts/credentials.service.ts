// Replaces passwords and records the first proof of a mailbox; both end the earlier sessions, links and tokens.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { AFTER } from '../../../platform/mongo/queries.ts';
import {
  releaseAccount,
  listUserMemberships,
  releaseAwaitingMemberships,
} from '../../organization/memberships/memberships.service.ts';
import { beginReclaims } from '../reclaim/reclaim.service.ts';
import { revokeUserTokens } from '../email-links/one-time-tokens.service.ts';
import { isRegistrationOpen, createOwnOrganization } from './founding.service.ts';
import type { UserDocument } from './users.model.ts';
import { revokeAllSessions } from '../sessions/open-sessions.service.ts';

interface NewPassword {
  /** Null removes the password. */
  passwordHash: string | null;
  /** The session that stays open; null: none. */
  exceptJti: string | null;
  /** Whether the same request proved the mailbox. */
  mailboxProved: boolean;
  /** The organisation whose directory created the account and may keep it; absent: the account belongs to its owner. */
  keptBy?: string;
}

interface ReplacedPassword {
  user: UserDocument;
  sessionsEnded: number;
}

/**
 * Replaces the password, ends sessions, and revokes links, second steps and stream tokens; call it in a
 * transaction.
 */
export async function replacePassword(
  platform: Platform,
  userId: string,
  change: NewPassword,
): Promise<ReplacedPassword> {
  const { passwordHash, exceptJti, mailboxProved, keptBy } = change;
  const now = platform.clock.now();
  const proof = mailboxProved ? { emailVerifiedAt: now } : {};
  // A code guesser knew the former password, so the new password resets the count of failures; a reset by mail alone
  // proves too little for that.
  const mfaReset = {
    'mfa.pendingSecret': null,
    ...(exceptJti !== null && { 'mfa.failures': 0 }),
  };
  const changed = await platform.models.users
    .findOneAndUpdate(
      { _id: userId },
      { $set: { passwordHash, passwordChangedAt: now, ...mfaReset, ...proof } },
      AFTER,
    )
    .lean<UserDocument>();
  if (!changed) throw new AppError('INVALID_TOKEN');
  const user = await releaseAccount(platform, changed, keptBy);
  if (mailboxProved) await releaseAwaitingMemberships(platform, userId);
  await revokeUserTokens(platform, userId);
  const { revoked } = await revokeAllSessions(platform, userId, exceptJti);
  return { user, sessionsEnded: revoked };
}

/**
 * Sets the password of a caller who has proved the mailbox. The first proof ends all earlier access. Call it in a
 * transaction.
 * @throws AppError `INVALID_TOKEN` when the account is gone
 */
export async function resetPassword(
  platform: Platform,
  userId: string,
  passwordHash: string,
): Promise<ReplacedPassword> {
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  if (user?.emailVerifiedAt === null) return claimAccount(platform, user, { passwordHash });
  return replacePassword(platform, userId, { passwordHash, exceptJti: null, mailboxProved: true });
}

/**
 * Records that the caller owns the mailbox; the first proof ends all earlier access. `provedBy`: the organisation
 * that answers for the address; absent: the owner proved it personally. Call it in a transaction.
 */
export async function verifyMailbox(
  platform: Platform,
  user: UserDocument,
  provedBy?: string,
): Promise<UserDocument> {
  if (user.emailVerifiedAt !== null) return releaseAccount(platform, user, provedBy);
  const kept = provedBy !== undefined && { keptBy: provedBy };
  return (await claimAccount(platform, user, { passwordHash: null, ...kept })).user;
}

/**
 * Records the proof of an owner who also knows the password and so is the registrant: nothing ends. Call it in a
 * transaction. @throws AppError `INVALID_CREDENTIALS` when the password has changed in the meantime
 */
export async function confirmMailbox(
  platform: Platform,
  { _id, passwordHash }: UserDocument,
): Promise<UserDocument> {
  const confirmed = await platform.models.users
    .findOneAndUpdate(
      { _id, passwordHash },
      { $set: { emailVerifiedAt: platform.clock.now() } },
      AFTER,
    )
    .lean<UserDocument>();
  if (!confirmed) throw new AppError('INVALID_CREDENTIALS');
  await releaseAwaitingMemberships(platform, _id.toHexString());
  return releaseAccount(platform, confirmed);
}

/**
 * Handles the first proof of a mailbox. The registrant may have been another person: all their access ends, and the
 * owner is asked whether to keep the organisation. An owner who is left without an organisation gets a new one.
 */
async function claimAccount(
  platform: Platform,
  user: UserDocument,
  { passwordHash, keptBy }: Pick<NewPassword, 'passwordHash' | 'keptBy'>,
): Promise<ReplacedPassword> {
  const userId = user._id.toHexString();
  const hasReclaimed = await beginReclaims(platform, user, keptBy);
  const proof = { passwordHash, exceptJti: null, mailboxProved: true };
  const replaced = await replacePassword(platform, userId, {
    ...proof,
    ...(keptBy !== undefined && { keptBy }),
  });
  const isHomeless = hasReclaimed && (await listUserMemberships(platform, userId)).length === 0;
  if (isHomeless && isRegistrationOpen(platform))
    await createOwnOrganization(platform, user, user.name);
  return replaced;
}
