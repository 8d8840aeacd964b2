// Registration: a new account with an organisation of its own, by password, mail or social login.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import { findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { Origin, Proof, SessionService, SignedIn } from '../sessions/sessions.service.ts';
import { type ActiveOrganization, toActiveOrganization } from './account-views.ts';
import type { SocialIdentity } from './users.model.ts';

type Deps = Pick<Platform, 'models' | 'config' | 'clock' | 'newId'> & {
  sessions: SessionService;
  organizations: OrganizationService;
  memberships: MembershipService;
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

export type Registered = SignedIn & { organization: ActiveOrganization };

export function createRegistrationService(deps: Deps) {
  const { models, sessions, organizations, memberships, clock, newId, config } = deps;
  return {
    /** @throws AppError `FORBIDDEN` when registration is by invitation only */
    requireOpen(): void {
      if (config.REGISTRATION === 'invite')
        throw new AppError('FORBIDDEN', 'Registration is by invitation only');
    },

    /** A new user with a new organisation, signed in as its owner; call it in a transaction. */
    async register(registrant: Registrant, origin: Origin, proof: Proof): Promise<Registered> {
      const { organizationName, mailboxProved, ...person } = registrant;
      const { organizationId } = await organizations.create(organizationName);
      const userId = newId();
      const now = clock.now();
      const user = await insertOne(models.users, {
        ...person,
        _id: userId,
        passwordChangedAt: person.passwordHash === null ? null : now,
        emailVerifiedAt: mailboxProved ? now : null,
      });
      await memberships.add({ organizationId, userId, role: 'owner' });
      const organization = await findOr404(
        models.organizations.findById(organizationId).lean<OrganizationDocument>(),
      );
      const session = await sessions.signIn(user, origin, proof);
      // A new account has no second factor.
      if (session.mfaRequired) throw new AppError('INTERNAL_ERROR');
      return { ...session, organization: toActiveOrganization(organization) };
    },
  };
}
export type RegistrationService = ReturnType<typeof createRegistrationService>;
