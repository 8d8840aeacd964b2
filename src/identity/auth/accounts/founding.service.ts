// Creates a user's own organisation: at registration, and for a user with a proved address who belongs to no other.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import { addMembership } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import { createOrganization } from '../../organization/organization.service.ts';
import type { UserDocument } from './users.model.ts';

export interface OwnedOrganization {
  organization: OrganizationDocument;
  /** The owner's membership. */
  membership: MembershipDocument;
}

export function isRegistrationOpen({ config }: Platform): boolean {
  return config.REGISTRATION === 'open';
}

/** @throws AppError `FORBIDDEN` when registration is by invitation only */
export function requireOpenRegistration(platform: Platform): void {
  if (!isRegistrationOpen(platform))
    throw new AppError('FORBIDDEN', 'Registration is by invitation only');
}

/** A new organisation with the user as its owner. Call it in a transaction. */
export async function createOwnOrganization(
  platform: Platform,
  user: UserDocument,
  name: string,
): Promise<OwnedOrganization> {
  const organization = await createOrganization(platform, name);
  const organizationId = organization._id.toHexString();
  const owner = { organizationId, userId: user._id.toHexString(), role: 'owner' } as const;
  return { organization, membership: await addMembership(platform, owner, user) };
}
