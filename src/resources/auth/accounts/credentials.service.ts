// What ends with a password: a new one is set in one place, and everything that the old one opened is closed there.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { UserDocument } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'clock'> & {
  sessions: SessionService;
  memberships: MembershipService;
  oneTimeTokens: OneTimeTokenService;
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
  const { models, sessions, memberships, oneTimeTokens, clock } = deps;

  async function replacePassword(userId: string, change: NewPassword): Promise<Replaced> {
    const { passwordHash, exceptJti, mailboxProved, keptBy } = change;
    const now = clock.now();
    const proof = mailboxProved ? { emailVerifiedAt: now } : {};
    const changed = await models.users
      .findOneAndUpdate(
        { _id: userId },
        { $set: { passwordHash, passwordChangedAt: now, 'mfa.pendingSecret': null, ...proof } },
        { returnDocument: 'after' },
      )
      .lean<UserDocument>();
    if (!changed) throw new AppError('INVALID_TOKEN');
    const user = await memberships.releaseAccount(changed, keptBy);
    if (mailboxProved) await memberships.releaseAwaiting(userId);
    await oneTimeTokens.voidAllOf(userId);
    const { revoked } = await sessions.revokeAll(userId, exceptJti);
    return { user, sessionsEnded: revoked };
  }

  return {
    /** Replaces the password, ends sessions, and makes links, second steps and stream tokens void; call it in a transaction. */
    replacePassword,

    /**
     * The owner of the mailbox is here. Whoever registered the address without proving it may be somebody else: their password and
     * sessions end. A second factor stays. `provedBy`: the organisation that answers for the address; absent: the owner proved it
     * personally. Call it in a transaction.
     */
    async proveMailbox(user: UserDocument, provedBy?: string): Promise<UserDocument> {
      if (user.emailVerifiedAt !== null) return memberships.releaseAccount(user, provedBy);
      const { user: proved } = await replacePassword(user._id.toHexString(), {
        passwordHash: null,
        exceptJti: null,
        mailboxProved: true,
        ...(provedBy !== undefined && { keptBy: provedBy }),
      });
      return proved;
    },
  };
}
export type CredentialService = ReturnType<typeof createCredentialService>;
