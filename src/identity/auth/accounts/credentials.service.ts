// Replaces passwords and records the first proof of a mailbox; both end the earlier sessions, links and tokens.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { AFTER } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { ReclaimService } from '../reclaim/reclaim.service.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { FoundingService } from './founding.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  sessions: SessionService;
  memberships: MembershipService;
  oneTimeTokens: OneTimeTokenService;
  founding: FoundingService;
  reclaims: ReclaimService;
}

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

export function createCredentialService(platform: Pick<Platform, 'models' | 'clock'>, deps: Deps) {
  const { models, clock } = platform;
  const { sessions, memberships, oneTimeTokens, founding, reclaims } = deps;

  async function replacePassword(userId: string, change: NewPassword): Promise<ReplacedPassword> {
    const { passwordHash, exceptJti, mailboxProved, keptBy } = change;
    const now = clock.now();
    const proof = mailboxProved ? { emailVerifiedAt: now } : {};
    // A code guesser knew the former password, so the new password resets the count of failures; a reset by mail alone
    // proves too little for that.
    const mfaReset = {
      'mfa.pendingSecret': null,
      ...(exceptJti !== null && { 'mfa.failures': 0 }),
    };
    const changed = await models.users
      .findOneAndUpdate(
        { _id: userId },
        { $set: { passwordHash, passwordChangedAt: now, ...mfaReset, ...proof } },
        AFTER,
      )
      .lean<UserDocument>();
    if (!changed) throw new AppError('INVALID_TOKEN');
    const user = await memberships.releaseAccount(changed, keptBy);
    if (mailboxProved) await memberships.releaseAwaiting(userId);
    await oneTimeTokens.revokeUserTokens(userId);
    const { revoked } = await sessions.revokeAll(userId, exceptJti);
    return { user, sessionsEnded: revoked };
  }

  /**
   * Handles the first proof of a mailbox. The registrant may have been another person: all their access ends, and the
   * owner is asked whether to keep the organisation. An owner who is left without an organisation gets a new one.
   */
  async function claimAccount(
    user: UserDocument,
    { passwordHash, keptBy }: Pick<NewPassword, 'passwordHash' | 'keptBy'>,
  ): Promise<ReplacedPassword> {
    const userId = user._id.toHexString();
    const hasReclaimed = await reclaims.beginReclaims(user, keptBy);
    const proof = { passwordHash, exceptJti: null, mailboxProved: true };
    const replaced = await replacePassword(userId, {
      ...proof,
      ...(keptBy !== undefined && { keptBy }),
    });
    const isHomeless = hasReclaimed && (await memberships.listUserMemberships(userId)).length === 0;
    if (isHomeless && founding.isOpen()) await founding.createOwnOrganization(user, user.name);
    return replaced;
  }

  return {
    /**
     * Replaces the password, ends sessions, and revokes links, second steps and stream tokens; call it in a
     * transaction.
     */
    replacePassword,

    /**
     * Sets the password of a caller who has proved the mailbox. The first proof ends all earlier access. Call it in a
     * transaction.
     * @throws AppError `INVALID_TOKEN` when the account is gone
     */
    async resetPassword(userId: string, passwordHash: string): Promise<ReplacedPassword> {
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (user?.emailVerifiedAt === null) return claimAccount(user, { passwordHash });
      return replacePassword(userId, { passwordHash, exceptJti: null, mailboxProved: true });
    },

    /**
     * Records that the caller owns the mailbox; the first proof ends all earlier access. `provedBy`: the organisation
     * that answers for the address; absent: the owner proved it personally. Call it in a transaction.
     */
    async verifyMailbox(user: UserDocument, provedBy?: string): Promise<UserDocument> {
      if (user.emailVerifiedAt !== null) return memberships.releaseAccount(user, provedBy);
      const kept = provedBy !== undefined && { keptBy: provedBy };
      return (await claimAccount(user, { passwordHash: null, ...kept })).user;
    },

    /**
     * Records the proof of an owner who also knows the password and so is the registrant: nothing ends. Call it in a
     * transaction. @throws AppError `INVALID_CREDENTIALS` when the password has changed in the meantime
     */
    async confirmMailbox({ _id, passwordHash }: UserDocument): Promise<UserDocument> {
      const confirmed = await models.users
        .findOneAndUpdate({ _id, passwordHash }, { $set: { emailVerifiedAt: clock.now() } }, AFTER)
        .lean<UserDocument>();
      if (!confirmed) throw new AppError('INVALID_CREDENTIALS');
      await memberships.releaseAwaiting(_id.toHexString());
      return memberships.releaseAccount(confirmed);
    },
  };
}
export type CredentialService = ReturnType<typeof createCredentialService>;
