// SCIM users: provisioned, changed and deactivated by the organisation's directory (document 1, sections 2, 3 and 4.5).
import {
  type PatchOperation,
  project,
  type Projected,
  type Selection,
  USER_SCHEMA,
} from '@assay/scim';
import { type RoleDecision, decideRole } from '../../../domain/identity/role-mapping.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { SessionService } from '../../auth/sessions/sessions.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationFacts } from '../../organization/organization-facts.service.ts';
import type { ScimAccountService } from './accounts.service.ts';
import type { PeopleService } from './people.service.ts';
import {
  listChangedAttributes,
  type DirectoryProfile,
  patchUser,
  toDirectoryProfile,
} from './profile.ts';
import type { ScimPerson, ScimUser } from './scim-user.ts';
import type { UserInput } from './users.schemas.ts';

interface Deps {
  people: PeopleService;
  accounts: ScimAccountService;
  sessions: SessionService;
  memberships: MembershipService;
  organizationFacts: OrganizationFacts;
}

/** An event for the audit log. */
export interface ScimUserEvent {
  action: string;
  resourceId: string;
  metadata: Record<string, unknown>;
}

export interface ChangedScimUser {
  user: Projected<ScimUser>;
  events: ScimUserEvent[];
}

export interface ProvisionedScimUser extends ChangedScimUser {
  /** URL of the resource. */
  location: string;
}

type Activity = Pick<MembershipDocument, 'isActive' | 'deactivatedBy'>;

export function createScimUserService({
  people,
  accounts,
  sessions,
  memberships,
  organizationFacts,
}: Deps) {
  const { findDirectorySettings: loadSettings } = organizationFacts;

  /** Checks that an active owner remains, and ends sessions if the organisation wants it. */
  async function handleDeactivation({ membership, user }: ScimPerson): Promise<void> {
    const organizationId = membership.organizationId.toHexString();
    if (membership.role === 'owner') await memberships.requireRemainingOwner(organizationId);
    const settings = await loadSettings(organizationId);
    if (settings?.endSessionsOnScimDeactivate)
      await sessions.endMemberSessions(organizationId, user._id.toHexString());
  }

  /** Writes the profile and state that the directory sends. */
  async function saveProfile(
    tenant: Tenant,
    person: ScimPerson,
    { input, selection }: { input: UserInput; selection: Selection },
  ): Promise<ChangedScimUser> {
    const { membership, user } = person;
    const { organizationId } = tenant;
    const id = user._id.toHexString();
    const profile = toDirectoryProfile(input);
    const { userName } = profile.directory;
    if (userName !== (membership.directory?.userName ?? user.email))
      await accounts.requireFreeUserName(organizationId, userName, id);
    const activity = toActivity(membership, input.active);
    await memberships.change(membership, { ...profile, ...activity });
    await accounts.syncAccount(organizationId, user, profile.directory);
    if (membership.isActive && !activity.isActive) await handleDeactivation(person);
    const saved = people.toResource(await people.findPerson(tenant, id));
    return {
      user: project(saved, USER_SCHEMA, selection),
      events: toChangeEvents(person, profile, activity.isActive),
    };
  }

  return {
    /** @throws AppError `NOT_FOUND` */
    async getUser(tenant: Tenant, id: string, selection: Selection): Promise<Projected<ScimUser>> {
      return project(
        people.toResource(await people.findPerson(tenant, id)),
        USER_SCHEMA,
        selection,
      );
    },

    /**
     * Creates the membership, and an account if the address has none; an existing account is not changed.
     * @throws AppError `SCIM_UNIQUENESS` when the organisation has a user of that name
     */
    async create(
      tenant: Tenant,
      input: UserInput,
      selection: Selection,
    ): Promise<ProvisionedScimUser> {
      const { organizationId } = tenant;
      const profile = toDirectoryProfile(input);
      const { directory } = profile;
      await accounts.requireFreeUserName(organizationId, directory.userName);
      const { userId, ...offer } = await accounts.resolveAccount(organizationId, directory);
      const settings = await loadSettings(organizationId);
      const decision = decideRole(input.groups, settings?.roleMapping ?? []);
      const activity: Activity = {
        isActive: input.active,
        deactivatedBy: input.active ? null : 'scim',
      };
      const { role } = decision;
      await memberships.addMembership({
        organizationId,
        userId,
        role,
        ...offer,
        ...activity,
        ...profile,
      });
      const made = people.toResource(await people.findPerson(tenant, userId));
      return {
        user: project(made, USER_SCHEMA, selection),
        location: made.meta.location,
        events: [toCreatedEvent(userId, profile, decision)],
      };
    },

    /**
     * Replaces the user; absent attributes are cleared.
     * @throws AppError `NOT_FOUND`, `SCIM_UNIQUENESS`, `VALIDATION_ERROR` (last owner)
     */
    async replace(
      tenant: Tenant,
      { id, input }: { id: string; input: UserInput },
      selection: Selection,
    ): Promise<ChangedScimUser> {
      return saveProfile(tenant, await people.findPerson(tenant, id), { input, selection });
    },

    /** Applies all operations or none. @throws AppError as `replace`, and `SCIM_INVALID_VALUE` */
    async patch(
      tenant: Tenant,
      { id, operations }: { id: string; operations: readonly PatchOperation[] },
      selection: Selection,
    ): Promise<ChangedScimUser> {
      const person = await people.findPerson(tenant, id);
      return saveProfile(tenant, person, { input: patchUser(person, operations), selection });
    },

    /** Deactivates a user; the row stays. @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` (last owner) */
    async disableUser(tenant: Tenant, id: string): Promise<ScimUserEvent[]> {
      const person = await people.findPerson(tenant, id);
      const { membership } = person;
      await memberships.change(membership, toActivity(membership, false));
      if (membership.isActive) await handleDeactivation(person);
      const metadata = { externalId: membership.ssoId ?? null };
      return [{ action: 'scim.user.deactivated', resourceId: id, metadata }];
    },
  };
}
export type ScimUserService = ReturnType<typeof createScimUserService>;

/** Returns the new state; only the team lifts a suspension by the team. */
function toActivity({ isActive, deactivatedBy }: MembershipDocument, active: boolean): Activity {
  if (!active) return { isActive: false, deactivatedBy: isActive ? 'scim' : deactivatedBy };
  if (!isActive && deactivatedBy === 'team') return { isActive, deactivatedBy };
  return { isActive: true, deactivatedBy: null };
}

function toCreatedEvent(
  resourceId: string,
  { ssoId, directory }: DirectoryProfile,
  { role, matched }: RoleDecision,
): ScimUserEvent {
  const metadata = { externalId: ssoId, userName: directory.userName, role, matched };
  return { action: 'scim.user.created', resourceId, metadata };
}

/** Returns an event for a change of state and one for the profile; without a change the latter. */
function toChangeEvents(
  { membership, user }: ScimPerson,
  profile: DirectoryProfile,
  isActive: boolean,
): ScimUserEvent[] {
  const resourceId = user._id.toHexString();
  const externalId = profile.ssoId;
  const changed = listChangedAttributes(membership, profile);
  const updated = {
    action: 'scim.user.updated',
    resourceId,
    metadata: { externalId, changed },
  };
  if (isActive === membership.isActive) return [updated];
  const action = isActive ? 'scim.user.reactivated' : 'scim.user.deactivated';
  const switched = { action, resourceId, metadata: { externalId } };
  return changed.length === 0 ? [switched] : [switched, updated];
}
