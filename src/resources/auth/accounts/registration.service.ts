// A new account with an organisation of its own, whichever way its founder came.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { Origin, Proof, SessionService } from '../sessions/sessions.service.ts';
import type { SocialIdentity } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'config' | 'clock' | 'newId'> & {
  sessions: SessionService;
  organizations: OrganizationService;
};

export interface Registrant {
  name: string;
  email: string;
  /** Null for somebody who signs in by a provider only. */
  passwordHash: string | null;
  identities: SocialIdentity[];
  organizationName: string;
  mailboxProved: boolean;
}

export function createRegistrationService(deps: Deps) {
  const { models, sessions, organizations, clock, newId, config } = deps;
  return {
    /** @throws AppError `FORBIDDEN` when registration is by invitation only */
    requireOpen(): void {
      if (config.REGISTRATION === 'invite')
        throw new AppError('FORBIDDEN', 'Registration is by invitation only');
    },

    /** A new user with a new organisation, signed in as its owner; call it in a transaction. */
    async found(
      { organizationName, mailboxProved, ...person }: Registrant,
      origin: Origin,
      proof: Proof,
    ) {
      const { organizationId } = await organizations.create(organizationName);
      const userId = newId();
      const now = clock.now();
      const passwordChangedAt = person.passwordHash === null ? null : now;
      const [made] = await models.users.create([
        { ...person, _id: userId, passwordChangedAt, emailVerifiedAt: mailboxProved ? now : null },
      ]);
      await models.memberships.create([{ organizationId, userId, role: 'owner' }]);
      const organization = await models.organizations
        .findById(organizationId)
        .lean<OrganizationDocument>();
      if (!made || !organization) throw new AppError('INTERNAL_ERROR');
      const session = await sessions.signIn(made.toObject(), origin, proof);
      // A new account has no second factor.
      if (session.mfaRequired) throw new AppError('INTERNAL_ERROR');
      return { ...session, organization: toOrganizationView(organization) };
    },
  };
}
export type RegistrationService = ReturnType<typeof createRegistrationService>;

export function toOrganizationView(organization: OrganizationDocument) {
  return { ...organization, plan: organization.subscription.plan };
}
