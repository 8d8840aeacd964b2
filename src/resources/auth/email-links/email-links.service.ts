// Links in mail: registration, a new password, signing in. Asking for one is the same work for a known and an unknown address.
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { ComposeMail } from '../../../platform/mail/mail-delivery.ts';
import type { CredentialService } from '../accounts/credentials.service.ts';
import type { SignInFailures } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { resetInput } from '../auth.schemas.ts';
import type { Origin, SessionService } from '../sessions/sessions.service.ts';
import {
  accountExistsMail,
  type LinkMail,
  magicLinkMail,
  resetMail,
  signUpMail,
} from './email-links.mails.ts';
import type { Purpose } from './one-time-tokens.model.ts';
import type { OneTimeTokenService } from './one-time-tokens.service.ts';

type Deps = Pick<
  Platform,
  'models' | 'passwords' | 'clock' | 'transaction' | 'publicUrl' | 'queueMail'
> & {
  sessions: SessionService;
  failures: SignInFailures;
  credentials: CredentialService;
  oneTimeTokens: OneTimeTokenService;
};

type Kind = 'signup' | 'reset' | 'magic-link';

const MINUTE = 60_000;
/** Counted from the request, not from the delivery. */
const LIFETIME_MS: Record<Kind, number> = {
  signup: 24 * 60 * MINUTE,
  reset: 60 * MINUTE,
  'magic-link': 15 * MINUTE,
};
const PAGE: Record<Kind, string> = {
  signup: 'complete-signup',
  reset: 'reset-password',
  'magic-link': 'magic-link',
};
const METHOD = 'magic_link';

export function createEmailLinkService(deps: Deps) {
  const { models, sessions, failures, credentials, oneTimeTokens, passwords, clock, transaction } =
    deps;

  const userOf = (email: string): Promise<UserDocument | null> =>
    models.users.findOne({ email }).lean<UserDocument>();

  /** A new token in place of earlier ones; null when the request is older than what it asks for may become. */
  async function wayFor(
    kind: Kind,
    email: string,
    asked: { user: UserDocument | null; at: Date },
  ): Promise<LinkMail | null> {
    const expiresAt = new Date(asked.at.getTime() + LIFETIME_MS[kind]);
    if (expiresAt <= clock.now()) return null;
    await oneTimeTokens.voidSent(kind, email);
    const userId = asked.user?._id.toHexString() ?? null;
    const token = await oneTimeTokens.issue({
      purpose: kind satisfies Purpose,
      userId,
      email,
      expiresAt,
    });
    return { page: `${deps.publicUrl}/${PAGE[kind]}`, token };
  }

  const mailToUser =
    (kind: 'reset' | 'magic-link', write: typeof resetMail): ComposeMail =>
    async ({ payload, createdAt }) => {
      const email = payload.email as string;
      const user = await userOf(email);
      const way = user && (await wayFor(kind, email, { user, at: createdAt }));
      return way && write(email, way);
    };

  const mailToNewcomer: ComposeMail = async ({ payload, createdAt }) => {
    const email = payload.email as string;
    if (await userOf(email)) return accountExistsMail(email);
    const way = await wayFor('signup', email, { user: null, at: createdAt });
    return way && signUpMail(email, way);
  };

  return {
    /** By the `kind` of the outbox row. */
    mails: {
      signup: mailToNewcomer,
      reset: mailToUser('reset', resetMail),
      'magic-link': mailToUser('magic-link', magicLinkMail),
    } satisfies Record<Kind, ComposeMail>,

    /** The same answer, and the same single write, whoever the address belongs to. */
    async request(kind: Kind, email: string) {
      // The account is looked up, and the token made, when the mail is sent.
      await deps.queueMail(null, { kind, email });
      return { message: 'If the address can be used for this, a mail is on its way to it' };
    },

    /** Sets a new password and ends every session; it opens none. @throws AppError `INVALID_TOKEN`, `EXPIRED` */
    async resetPassword({ token, password }: z.output<typeof resetInput>) {
      await oneTimeTokens.peek('reset', token);
      const passwordHash = await passwords.hash(password);
      return transaction(async () => {
        const { userId, email } = await oneTimeTokens.use('reset', token);
        if (!userId) throw new AppError('INTERNAL_ERROR');
        const change = { passwordHash, exceptJti: null, mailboxProved: true };
        const { user, sessionsEnded } = await credentials.replacePassword(
          userId.toHexString(),
          change,
        );
        // A link proves the mailbox it went to, and a directory may have moved the account since.
        if (user.email !== email) throw new AppError('INVALID_TOKEN');
        const home = await sessions.homeOf(user);
        // Whoever belongs nowhere has nothing to sign in to.
        if (!home) throw new AppError('INVALID_TOKEN');
        return { user, home, passwordChanged: true as const, sessionsEnded };
      });
    },

    /** @throws AppError `INVALID_TOKEN`, `EXPIRED`, `ACCOUNT_DEACTIVATED` */
    async signIn(token: string, origin: Origin) {
      const { userId } = await oneTimeTokens.peek('magic-link', token);
      const user = await models.users.findById(userId).lean<UserDocument>();
      if (!user) throw new AppError('INVALID_TOKEN');
      return transaction(async () => {
        const { email } = await oneTimeTokens.use('magic-link', token);
        const proved = await credentials.proveMailbox(user);
        if (proved.email !== email) throw new AppError('INVALID_TOKEN');
        return sessions.signIn(proved, origin, { method: METHOD, secondFactor: null });
      }).catch((error: unknown) => {
        failures.note(user, origin, {
          method: METHOD,
          detail: error instanceof AppError ? error.code : 'fault',
        });
        throw error;
      });
    },
  };
}
export type EmailLinkService = ReturnType<typeof createEmailLinkService>;
