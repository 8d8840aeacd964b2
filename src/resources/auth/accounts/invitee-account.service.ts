// Accounts of the invited: one that exists proves itself by its password and is left as it is, a new one is opened (document 1, section 3).
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import { registerInput } from '../auth.schemas.ts';
import type { Origin } from '../sessions/sessions.service.ts';
import type { SignInFailures } from './sign-in-failures.service.ts';
import type { UserDocument } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'passwords' | 'clock'> & {
  failures: SignInFailures;
};

/** What somebody says who answers an invitation to `email`. */
export interface Applicant {
  email: string;
  name: string;
  password: string;
}

/** An account whose password was right, or what a new one is made of. */
export type InviteeAccount =
  { known: UserDocument } | { fresh: { email: string; name: string; passwordHash: string } };

export function createInviteeAccountService({ models, passwords, failures, clock }: Deps) {
  return {
    /** Costs one password hash. @throws AppError `INVALID_CREDENTIALS` for an account's wrong password, `VALIDATION_ERROR` for a new one that breaks the rule */
    async answer({ email, name, password }: Applicant, origin: Origin): Promise<InviteeAccount> {
      const known = await models.users.findOne({ email }).lean<UserDocument>();
      if (known) {
        if (await passwords.verify(known.passwordHash, password)) return { known };
        failures.note(known, origin, { method: 'invitation', detail: 'wrong password' });
        throw new AppError('INVALID_CREDENTIALS');
      }
      const { error } = registerInput.shape.password.safeParse(password);
      if (error)
        throw new AppError(
          'VALIDATION_ERROR',
          `password: ${error.issues.map(({ message }) => message).join('; ')}`,
        );
      return { fresh: { email, name, passwordHash: await passwords.hash(password) } };
    },

    /**
     * The account behind an answer, which its next sign-in leads to `organizationId`; the token came by mail, so the mailbox is proved.
     * Call it in the transaction that takes it in. @throws AppError `INVALID_CREDENTIALS` when the password has changed since
     */
    async account(answered: InviteeAccount, organizationId: string): Promise<UserDocument> {
      const now = clock.now();
      const arrival = { emailVerifiedAt: now, lastOrganizationId: organizationId };
      if ('fresh' in answered) {
        const [made] = await models.users.create([
          { ...answered.fresh, passwordChangedAt: now, ...arrival },
        ]);
        if (!made) throw new AppError('INTERNAL_ERROR');
        return made.toObject<UserDocument>();
      }
      const { _id, passwordHash } = answered.known;
      const found = await models.users
        .findOneAndUpdate({ _id, passwordHash }, { $set: arrival }, { returnDocument: 'after' })
        .lean<UserDocument>();
      if (!found) throw new AppError('INVALID_CREDENTIALS');
      return found;
    },
  };
}
export type InviteeAccountService = ReturnType<typeof createInviteeAccountService>;
