// Links in mail for registration, password reset and sign-in. Requests take as long for unknown as for known addresses.
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import type { ComposeMail } from '../../../platform/mail/mail-delivery.ts';
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../../platform/outbox/outbox.model.ts';
import { resetPassword, verifyMailbox, confirmMailbox } from '../accounts/credentials.service.ts';
import { runSignIn } from '../accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../accounts/users.model.ts';
import type { linkInput, resetInput, PasswordChanged } from '../auth.schemas.ts';
import type { Origin, SecondStep, SignedIn } from '../sessions/sessions.service.ts';
import {
  composeAccountExistsMail,
  composeWrongCodesMail,
  createLinkMail,
  type LinkKind,
  MAILED_LINKS,
} from './email-links.mails.ts';
import {
  issueToken,
  findToken,
  consumeToken,
  revokeSentTokens,
} from './one-time-tokens.service.ts';
import { signIn, findHome } from '../sessions/sign-in.service.ts';

/** The same words whether the address has an account or not. */
interface MailRequested {
  message: string;
}
interface PasswordReset extends PasswordChanged {
  user: UserDocument;
  /** The organisation in whose log the change is audited; null: the user belongs to none yet. */
  home: { organizationId: string; role: Role } | null;
}

const MINUTE_MS = 60_000;
const METHOD = 'magic_link';

/** Gives the same answer and makes the same single write for every address. */
export async function requestLink(
  { queueMail }: Platform,
  kind: Exclude<LinkKind, 'confirm'>,
  email: string,
): Promise<MailRequested> {
  // The account is looked up and the token created when the mail is sent.
  await queueMail(null, { kind, email });
  return { message: 'If the address can be used for this, a mail is on its way to it' };
}

/** Sets a new password and ends every session; it opens none. @throws AppError `INVALID_TOKEN`, `EXPIRED` */
export async function resetPasswordByLink(
  platform: Platform,
  { token, password }: z.output<typeof resetInput>,
): Promise<PasswordReset> {
  await findToken(platform, 'reset', token);
  const passwordHash = await platform.passwords.hash(password);
  return platform.transaction(async () => {
    const { userId, email } = await consumeToken(platform, 'reset', token);
    if (!userId) throw new AppError('INTERNAL_ERROR');
    const { user, sessionsEnded } = await resetPassword(
      platform,
      userId.toHexString(),
      passwordHash,
    );
    // A link proves the mailbox it was sent to; a directory may have changed the address of the account since.
    if (user.email !== email) throw new AppError('INVALID_TOKEN');
    const home = await findHome(platform, user);
    return { user, home, passwordChanged: true, sessionsEnded };
  });
}

/**
 * The first proof of the mailbox ends all earlier access, unless the password is given as well.
 * @throws AppError `INVALID_TOKEN`, `EXPIRED`, `ACCOUNT_DEACTIVATED`, `INVALID_CREDENTIALS`
 */
export async function signInByLink(
  platform: Platform,
  { token, password }: z.output<typeof linkInput>,
  origin: Origin,
): Promise<SignedIn | SecondStep> {
  const { userId } = await findToken(platform, 'magic-link', token);
  const user = await platform.models.users.findById(userId).lean<UserDocument>();
  if (!user) throw new AppError('INVALID_TOKEN');
  const confirms = user.emailVerifiedAt === null && password !== undefined;
  if (confirms && !(await platform.passwords.verify(user.passwordHash, password)))
    throw new AppError('INVALID_CREDENTIALS', 'Password is incorrect');
  return runSignIn(platform, { user, origin, method: METHOD }, async () => {
    const { email } = await consumeToken(platform, 'magic-link', token);
    const proved = confirms
      ? await confirmMailbox(platform, user)
      : await verifyMailbox(platform, user);
    if (proved.email !== email) throw new AppError('INVALID_TOKEN');
    return signIn(platform, proved, { origin, proof: { method: METHOD, secondFactor: null } });
  });
}

/** The composers of mails by the `kind` of the outbox row. */
export function createEmailLinkMails(platform: Platform) {
  const { models, clock } = platform;

  const findUser = (email: string): Promise<UserDocument | null> =>
    models.users.findOne({ email }).lean<UserDocument>();

  /** Issues a token that replaces earlier ones; null when the request is older than the lifetime of its link. */
  async function composeLink(
    kind: LinkKind,
    { payload, createdAt }: OutboxDocument,
    user: UserDocument | null,
  ): Promise<MailContent | null> {
    const email = payload.email as string;
    const { purpose, lifetime } = MAILED_LINKS[kind];
    const expiresAt = new Date(createdAt.getTime() + lifetime * MINUTE_MS);
    if (expiresAt <= clock.now()) return null;
    await revokeSentTokens(platform, purpose, email);
    const userId = user?._id.toHexString() ?? null;
    const token = await issueToken(platform, { purpose, userId, email, expiresAt });
    const isProved = user?.emailVerifiedAt !== null;
    return createLinkMail(kind, email, { origin: platform.publicUrl, token, isProved });
  }

  /** Composes a mail to an account; null where there is none, or its mailbox was proved although the link is to prove it. */
  const composeUserLink =
    (kind: LinkKind): ComposeMail =>
    async (row) => {
      const user = await findUser(row.payload.email as string);
      if (!user || (kind === 'confirm' && user.emailVerifiedAt !== null)) return null;
      return composeLink(kind, row, user);
    };

  const signUp: ComposeMail = async (row) => {
    const email = row.payload.email as string;
    const user = await findUser(email);
    return user && user.emailVerifiedAt !== null
      ? composeAccountExistsMail(email)
      : composeLink('signup', row, null);
  };

  return {
    signup: signUp,
    reset: composeUserLink('reset'),
    'magic-link': composeUserLink('magic-link'),
    confirm: composeUserLink('confirm'),
    'wrong-codes': ({ payload }) => Promise.resolve(composeWrongCodesMail(payload.email as string)),
  } satisfies Record<LinkKind | 'wrong-codes', ComposeMail>;
}
