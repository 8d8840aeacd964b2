// Accounts of the invited: one that exists proves itself by its password and is left as it is, a new one is opened (document 1, section 3).
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Passwords } from '../../infra/passwords.ts';
import type { Models } from '../../models.ts';
import { password as passwordRule } from './auth.schemas.ts';
import type { Origin } from './sessions.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  models: Models;
  passwords: Passwords;
  clock: Clock;
}

/** What somebody says who answers an invitation to `email`. */
export interface Applicant {
  email: string;
  name: string;
  password: string;
}

/** An account whose password was right, or what a new one is made of. */
export type Proof =
  | { known: Pick<UserDocument, '_id' | 'passwordHash'> }
  | { fresh: Omit<Applicant, 'password'> & { passwordHash: string } };

export function createInvitedService({ models, passwords, clock }: Deps) {
  function find(email: string): Promise<UserDocument | null> {
    return models.users.findOne({ email }).lean<UserDocument>();
  }

  return {
    /** Costs one password hash. @throws AppError `INVALID_CREDENTIALS` for an account's wrong password, `VALIDATION_ERROR` for a new one that breaks the rule */
    async prove({ email, name, password }: Applicant): Promise<Proof> {
      const known = await find(email);
      if (known) {
        if (!(await passwords.verify(known.passwordHash, password))) throw new AppError('INVALID_CREDENTIALS');
        return { known };
      }
      const { error } = passwordRule.safeParse(password);
      if (error)
        throw new AppError('VALIDATION_ERROR', `password: ${error.issues.map(({ message }) => message).join('; ')}`);
      return { fresh: { email, name, passwordHash: await passwords.hash(password) } };
    },

    /**
     * The account behind a proof, which its next sign-in leads to `organizationId`; in the transaction that takes it in.
     * @throws AppError `INVALID_CREDENTIALS` when the password has changed since
     */
    async account(proof: Proof, organizationId: string, origin: Origin): Promise<UserDocument> {
      const now = clock.now();
      const arrival = { lastLoginAt: now, lastLoginIp: origin.ip || null, lastOrganizationId: organizationId };
      if ('fresh' in proof) {
        const [made] = await models.users.create([{ ...proof.fresh, passwordChangedAt: now, ...arrival }]);
        if (!made) throw new AppError('INTERNAL_ERROR');
        return made.toObject<UserDocument>();
      }
      const { _id, passwordHash } = proof.known;
      const found = await models.users
        .findOneAndUpdate({ _id, passwordHash }, { $set: arrival }, { returnDocument: 'after' })
        .lean<UserDocument>();
      if (!found) throw new AppError('INVALID_CREDENTIALS');
      return found;
    },
  };
}
export type InvitedService = ReturnType<typeof createInvitedService>;
