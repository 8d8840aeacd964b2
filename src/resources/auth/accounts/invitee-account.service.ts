// Accounts of the invited: one that exists proves itself by its password and stays as it is, a new one is opened (document 1, section 3).
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import { explainIssue } from '../../../platform/inputs/explain-issue.ts';
import { AFTER, insertOne } from '../../../platform/mongo/queries.ts';
import { registerInput } from '../auth.schemas.ts';
import type { Origin } from '../sessions/sessions.service.ts';
import type { SignInFailures } from './sign-in-failures.service.ts';
import type { UserDocument } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'passwords' | 'clock'> & {
  failures: SignInFailures;
};

/** What somebody brings to accept an invitation to `email`. */
export interface Invitee {
  email: string;
  name: string;
  password: string;
}

/** An account whose password was correct, or what a new one is made of. */
export type InviteeAccount =
  | { known: UserDocument }
  | { fresh: { email: string; name: string; passwordHash: string } };

export function createInviteeAccountService({ models, passwords, failures, clock }: Deps) {
  return {
    /** Costs one password hash. @throws AppError `INVALID_CREDENTIALS` for an account's wrong password, `VALIDATION_ERROR` for a new one that breaks the rule */
    async identify({ email, name, password }: Invitee, origin: Origin): Promise<InviteeAccount> {
      const known = await models.users.findOne({ email }).lean<UserDocument>();
      if (known) {
        if (await passwords.verify(known.passwordHash, password)) return { known };
        failures.note(known, origin, { method: 'invitation', detail: 'wrong password' });
        throw known.passwordHash === null ? noPassword() : new AppError('INVALID_CREDENTIALS');
      }
      requireGoodPassword(password);
      return { fresh: { email, name, passwordHash: await passwords.hash(password) } };
    },

    /**
     * The account of an invitee, whose next sign-in leads to `organizationId`; the token came by mail, so the mailbox is proved.
     * Call it in the transaction of the acceptance. @throws AppError `INVALID_CREDENTIALS` when the password has changed since
     */
    async open(invitee: InviteeAccount, organizationId: string): Promise<UserDocument> {
      const now = clock.now();
      // Whoever belongs to a second organisation is no longer the first one's to change.
      const proved = {
        emailVerifiedAt: now,
        lastOrganizationId: organizationId,
        provisionedBy: null,
      };
      if ('fresh' in invitee)
        return insertOne(models.users, { ...invitee.fresh, passwordChangedAt: now, ...proved });
      const { _id, passwordHash } = invitee.known;
      const found = await models.users
        .findOneAndUpdate({ _id, passwordHash }, { $set: proved }, AFTER)
        .lean<UserDocument>();
      if (!found) throw new AppError('INVALID_CREDENTIALS');
      return found;
    },
  };
}
export type InviteeAccountService = ReturnType<typeof createInviteeAccountService>;

/** The account was made by a sign-on elsewhere. Only the holder of the mailbox has the invitation, and may know that. */
const noPassword = (): AppError =>
  new AppError(
    'INVALID_CREDENTIALS',
    'This account has no password, since it was made by a sign-on elsewhere: set one by forgot-password, then accept with it',
    { data: { reason: 'NO_PASSWORD' } },
  );

/** @throws AppError `VALIDATION_ERROR` */
function requireGoodPassword(password: string): void {
  const { error } = registerInput.shape.password.safeParse(password, { error: explainIssue });
  if (!error) return;
  const reasons = error.issues.map(({ message }) => message).join('; ');
  throw new AppError('VALIDATION_ERROR', `password: ${reasons}`);
}
