// An organisation of one's own: founded at registration, and for whoever has proved an address that a stranger had registered.
import type { Platform } from '../../../composition/platform.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';

type Deps = Pick<Platform, 'config'> & {
  organizations: OrganizationService;
  memberships: MembershipService;
};

export function createFoundingService({ config, organizations, memberships }: Deps) {
  const isOpen = (): boolean => config.REGISTRATION === 'open';
  return {
    isOpen,

    /** @throws AppError `FORBIDDEN` when registration is by invitation only */
    requireOpen(): void {
      if (!isOpen()) throw new AppError('FORBIDDEN', 'Registration is by invitation only');
    },

    /** A new organisation with the user as its owner; answers its id. Call it in a transaction. */
    async found(userId: string, name: string): Promise<string> {
      const { organizationId } = await organizations.create(name);
      await memberships.add({ organizationId, userId, role: 'owner' });
      return organizationId;
    },
  };
}
export type FoundingService = ReturnType<typeof createFoundingService>;
