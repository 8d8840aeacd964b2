// Accounts of the invited: one that exists proves itself by its password and is left as it is, a new one is opened (document 1, section 3).
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Passwords } from '../../infra/passwords.ts';
import type { Models } from '../../models.ts';
import { password as passwordRule } from './auth.schemas.ts';
import type { Origin, SessionService } from './sessions.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  models: Models;
  sessions: SessionService;
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

export function createInvitedService({ models, sessions, passwords, clock }: Deps) {
  function find(email: string): Promise<UserDocument | null> {
    return models.users.findOne({ email }).lean<UserDocument>();
  }

  async function open(
    { email, name, passwordHash }: Extract<Proof, { fresh: object }>['fresh'],
    origin: Origin,
  ): Promise<UserDocument> {
    const now = clock.now();
    const [made] = await models.users.create([
      { email, name, passwordHash, passwordChangedAt: now, lastLoginAt: now, lastLoginIp: origin.ip || null },
    ]);
    if (!made) throw new AppError('INTERNAL_ERROR');
    return made.toObject<UserDocument>();
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

    /** The account behind a proof; in the transaction that takes it in. @throws AppError `INVALID_CREDENTIALS` when the password has changed since */
    async account(proof: Proof, origin: Origin): Promise<UserDocument> {
      if ('fresh' in proof) return open(proof.fresh, origin);
      const { _id, passwordHash } = proof.known;
      const found = await models.users
        .findOneAndUpdate(
          { _id, passwordHash },
          { $set: { lastLoginAt: clock.now(), lastLoginIp: origin.ip || null } },
          { returnDocument: 'after' },
        )
        .lean<UserDocument>();
      if (!found) throw new AppError('INVALID_CREDENTIALS');
      return found;
    },

    /** Into the organisation that has taken the account in. @throws AppError what signing in throws */
    signIn: (user: UserDocument, organizationId: UserDocument['lastOrganizationId'], origin: Origin) =>
      sessions.signIn({ ...user, lastOrganizationId: organizationId }, origin),
  };
}
export type InvitedService = ReturnType<typeof createInvitedService>;
