// The session service, which combines opening, authenticating, listing and ending sessions.
import type { Platform } from '../../../platform/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import { AppError } from '../../../errors.ts';
import {
  lockOrganization,
  findMembership,
  listEnterableMemberships,
  removeMembership,
} from '../../organization/memberships/memberships.service.ts';
import { findOrganizationSummaries } from '../../organization/organization.service.ts';
import type { OwnOrganization } from '../auth.schemas.ts';
import type { UserContext } from '../../../platform/context.ts';

export type { NamedSessions } from './open-sessions.service.ts';
export type { SessionRef } from './authentication.service.ts';
export type {
  OpenedSession,
  Origin,
  Proof,
  SecondStep,
  SignedIn,
  SignInBy,
  SignOnProof,
} from './sign-in.service.ts';

interface LeftOrganization {
  organizationId: string;
  left: true;
  /** The user's role before. */
  role: Role;
}

/** Returns the milliseconds until a session ends. */
export function measureSessionRest({ clock }: Platform, expiresAt: number): number {
  return Math.max(0, expiresAt - clock.now().getTime());
}

/** Lists every organisation that the session may enter, oldest membership first. */
export async function listOwnOrganizations({
  platform,
  tenant: { organizationId: current },
  user: { userId, isSignOn },
}: UserContext): Promise<OwnOrganization[]> {
  const enterable = (await listEnterableMemberships(platform, userId)).filter(
    ({ organizationId }) => !isSignOn || organizationId.toHexString() === current,
  );
  const ids = enterable.map(({ organizationId }) => organizationId.toHexString());
  const known = await findOrganizationSummaries(platform, ids);
  return enterable.flatMap(({ organizationId, role, createdAt, isPending = false }) => {
    const organization = known.get(organizationId.toHexString());
    if (!organization) return [];
    const { name, slug, subscription } = organization;
    const isCurrent = organizationId.toHexString() === current;
    const { plan } = subscription;
    const joined = { role, joinedAt: createdAt, isPending, isCurrent };
    return [{ organizationId, name, slug, plan, ...joined }];
  });
}

/**
 * Ends the membership, also an offered or suspended one.
 * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` for the last active owner
 */
export async function endOwnMembership(
  { platform, tenant: { organizationId: current }, user: { userId, isSignOn } }: UserContext,
  organizationId: string,
): Promise<LeftOrganization> {
  const isInReach = !isSignOn || organizationId === current;
  const membership = isInReach ? await findMembership(platform, organizationId, userId) : null;
  if (!membership || membership.awaitsProof) throw new AppError('NOT_FOUND');
  await lockOrganization(platform, organizationId);
  await removeMembership(platform, membership);
  return { organizationId, left: true, role: membership.role };
}
