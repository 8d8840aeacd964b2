// Creates a user's own organisation: at registration, and for a user with a proved address who belongs to no other.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { UserDocument } from './users.model.ts';

interface Deps {
  organizations: OrganizationService;
  memberships: MembershipService;
}

export interface OwnedOrganization {
  organization: OrganizationDocument;
  /** The owner's membership. */
  membership: MembershipDocument;
}

export function createFoundingService(
  { config }: Pick<Platform, 'config'>,
  { organizations, memberships }: Deps,
) {
  const isOpen = (): boolean => config.REGISTRATION === 'open';
  return {
    isOpen,

    /** @throws AppError `FORBIDDEN` when registration is by invitation only */
    requireOpen(): void {
      if (!isOpen()) throw new AppError('FORBIDDEN', 'Registration is by invitation only');
    },

    /** A new organisation with the user as its owner. Call it in a transaction. */
    async createOwnOrganization(user: UserDocument, name: string): Promise<OwnedOrganization> {
      const organization = await organizations.create(name);
      const organizationId = organization._id.toHexString();
      const owner = { organizationId, userId: user._id.toHexString(), role: 'owner' } as const;
      return { organization, membership: await memberships.addMembership(owner, user) };
    },
  };
}
export type FoundingService = ReturnType<typeof createFoundingService>;
