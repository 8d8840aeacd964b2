// What ends with a password, and with the first proof of a mailbox: both are done in one place, and everything that was opened before is closed there.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import { AFTER } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { ReclaimService } from '../../organization/reclaim/reclaim.service.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { FoundingService } from './founding.service.ts';
import type { UserDocument } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'clock'> & {
  sessions: SessionService;
  memberships: MembershipService;
  oneTimeTokens: OneTimeTokenService;
  founding: FoundingService;
  reclaims: ReclaimService;
};

interface NewPassword {
  /** Null: the account has none any more. */
  passwordHash: string | null;
  /** The session that stays open; null: none. */
  exceptJti: string | null;
  /** The mailbox was proved by the same request. */
  mailboxProved: boolean;
  /** The organisation whose directory keeps the account, where it had made it; left out: the account is its owner's from now on. */
  keptBy?: string;
}

interface Replaced {
  user: UserDocument;
  sessionsEnded: number;
}

export function createCredentialService(deps: Deps) {
  const { models, sessions, memberships, oneTimeTokens, founding, reclaims, clock } = deps;

  async function replacePassword(userId: string, change: NewPassword): Promise<Replaced> {
    const { passwordHash, exceptJti, mailboxProved, keptBy } = change;
    const now = clock.now();
    const proof = mailboxProved ? { emailVerifiedAt: now } : {};
    // Whoever guessed codes knew the former password; a mail proves too little to begin the count anew.
    const begun = { 'mfa.pendingSecret': null, ...(exceptJti !== null && { 'mfa.failures': 0 }) };
    const changed = await models.users
      .findOneAndUpdate(
        { _id: userId },
        { $set: { passwordHash, passwordChangedAt: now, ...begun, ...proof } },
        AFTER,
      )
      .lean<UserDocument>();
    if (!changed) throw new AppError('INVALID_TOKEN');
    const user = await memberships.releaseAccount(changed, keptBy);
    if (mailboxProved) await memberships.releaseAwaiting(userId);
    await oneTimeTokens.voidAllOf(userId);
    const { revoked } = await sessions.revokeAll(userId, exceptJti);
    return { user, sessionsEnded: revoked };
  }

  /**
   * The owner of the mailbox is here for the first time. Whoever registered the address may be somebody else: their ways in end, and
   * the owner is asked whether to keep the organisation. Whoever is left without one gets a new one.
   */
  async function claimAccount(
    user: UserDocument,
    { passwordHash, keptBy }: Pick<NewPassword, 'passwordHash' | 'keptBy'>,
  ): Promise<Replaced> {
    const userId = user._id.toHexString();
    const hadBegun = await reclaims.reclaimAll(user, keptBy);
    const proof = { passwordHash, exceptJti: null, mailboxProved: true };
    const replaced = await replacePassword(userId, {
      ...proof,
      ...(keptBy !== undefined && { keptBy }),
    });
    const isHomeless = hadBegun && (await memberships.ofUser(userId)).length === 0;
    if (isHomeless && founding.isOpen()) await founding.found(user, user.name);
    return replaced;
  }

  return {
    /** Replaces the password, ends sessions, and makes links, second steps and stream tokens void; call it in a transaction. */
    replacePassword,

    /**
     * The owner of the mailbox is here, and sets a password. The first proof ends what was open before. Call it in a transaction.
     * @throws AppError `INVALID_TOKEN` when the account is gone
     */
    async resetPassword(userId: string, passwordHash: string): Promise<Replaced> {
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (user?.emailVerifiedAt === null) return claimAccount(user, { passwordHash });
      return replacePassword(userId, { passwordHash, exceptJti: null, mailboxProved: true });
    },

    /**
     * The owner of the mailbox is here; the first proof ends what was open before. `provedBy`: the organisation that answers for the
     * address; absent: the owner proved it personally. Call it in a transaction.
     */
    async proveMailbox(user: UserDocument, provedBy?: string): Promise<UserDocument> {
      if (user.emailVerifiedAt !== null) return memberships.releaseAccount(user, provedBy);
      const kept = provedBy !== undefined && { keptBy: provedBy };
      return (await claimAccount(user, { passwordHash: null, ...kept })).user;
    },

    /**
     * The owner of the mailbox is here and knows the password, so it was they who registered the address: nothing ends. Call it in a
     * transaction. @throws AppError `INVALID_CREDENTIALS` when the password has changed meanwhile
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
