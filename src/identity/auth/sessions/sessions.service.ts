// The session service, which combines opening, authenticating, listing and ending sessions.
import type { Platform } from '../../../platform/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import type { Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { AuditLogService } from '../../audit/audit-log.service.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { OneTimeTokenService } from '../email-links/one-time-tokens.service.ts';
import { createAuthenticationService } from './authentication.service.ts';
import { createOpenSessionService } from './open-sessions.service.ts';
import { createSignInService } from './sign-in.service.ts';
import type { OwnOrganization } from '../auth.schemas.ts';

export type { NamedSessions } from './open-sessions.service.ts';
export type { SessionRef } from './authentication.service.ts';
export type {
  OpenedSession,
  Origin,
  Proof,
  SecondStep,
  SignedIn,
  SignOnProof,
} from './sign-in.service.ts';

type SessionPlatform = Pick<
  Platform,
  'models' | 'config' | 'sessionTokens' | 'tempTokens' | 'clock' | 'generateToken'
>;

interface Deps {
  oneTimeTokens: OneTimeTokenService;
  organizations: OrganizationService;
  memberships: MembershipService;
  auditLog: AuditLogService;
}

interface LeftOrganization {
  organizationId: string;
  left: true;
  /** The user's role before. */
  role: Role;
}

export function createSessionService(platform: SessionPlatform, deps: Deps) {
  const { memberships, organizations } = deps;
  const openSessions = createOpenSessionService(platform, deps);
  return {
    ...createAuthenticationService(platform, deps),
    ...createSignInService(platform, { ...deps, openSessions }),
    ...openSessions,

    /** Returns the milliseconds until a session ends. */
    measureRest: (expiresAt: number): number =>
      Math.max(0, expiresAt - platform.clock.now().getTime()),

    /** Lists every organisation that the session may enter, oldest membership first. */
    async listOrganizations(
      { organizationId: current }: Tenant,
      { userId, isSignOn }: User,
    ): Promise<OwnOrganization[]> {
      const enterable = (await memberships.listEnterable(userId)).filter(
        ({ organizationId }) => !isSignOn || organizationId.toHexString() === current,
      );
      const ids = enterable.map(({ organizationId }) => organizationId.toHexString());
      const known = await organizations.findSummaries(ids);
      return enterable.flatMap(({ organizationId, role, createdAt, isPending = false }) => {
        const organization = known.get(organizationId.toHexString());
        if (!organization) return [];
        const { name, slug, subscription } = organization;
        const isCurrent = organizationId.toHexString() === current;
        const { plan } = subscription;
        const joined = { role, joinedAt: createdAt, isPending, isCurrent };
        return [{ organizationId, name, slug, plan, ...joined }];
      });
    },

    /**
     * Ends the membership, also an offered or suspended one.
     * @throws AppError `NOT_FOUND`; `VALIDATION_ERROR` for the last active owner
     */
    async endOwnMembership(
      { organizationId: current }: Tenant,
      { userId, isSignOn }: User,
      organizationId: string,
    ): Promise<LeftOrganization> {
      const isInReach = !isSignOn || organizationId === current;
      const membership = isInReach
        ? await memberships.findMembership(organizationId, userId)
        : null;
      if (!membership || membership.awaitsProof) throw new AppError('NOT_FOUND');
      await memberships.lockOrganization(organizationId);
      await memberships.remove(membership);
      return { organizationId, left: true, role: membership.role };
    },
  };
}
export type SessionService = ReturnType<typeof createSessionService>;
