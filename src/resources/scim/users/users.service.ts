// SCIM users: provisioned, changed and deactivated by the organisation's directory (document 1, sections 2, 3 and 4.5).
import type { Platform } from '../../../composition/platform.ts';
import { type RoleDecision, roleFor } from '../../../domain/identity/role-mapping.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { JsonObject } from '../../../domain/record/json.ts';
import type { Filter } from '../../../domain/scim/filter.ts';
import { applyPatch, type PatchOperation, ScimPatchError } from '../../../domain/scim/patch.ts';
import { project, type Selection } from '../../../domain/scim/projection.ts';
import { USER_SCHEMA } from '../../../domain/scim/schema.ts';
import { AppError } from '../../../errors.ts';
import type { SessionService } from '../../auth/sessions/sessions.service.ts';
import type {
  DirectoryEntry,
  MembershipDocument,
} from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import { type AccountService, emailOf } from './accounts.service.ts';
import type { PeopleService, ScimPerson } from './people.service.ts';
import { userInput, type UserInput } from './users.schemas.ts';

type Deps = Pick<Platform, 'models'> & {
  people: PeopleService;
  accounts: AccountService;
  sessions: SessionService;
  memberships: MembershipService;
};

/** What happened, for the audit log. */
export interface ScimUserEvent {
  action: string;
  resourceId: string;
  metadata: Record<string, unknown>;
}

/** Something a directory may say of a member. */
type Profile = Pick<MembershipDocument, 'ssoId'> & { directory: DirectoryEntry };

export function createScimUserService({ models, people, accounts, sessions, memberships }: Deps) {
  function settingsOf(organizationId: string) {
    return models.organizations
      .findById(organizationId, 'roleMapping endSessionsOnScimDeactivate')
      .lean<Pick<OrganizationDocument, 'roleMapping' | 'endSessionsOnScimDeactivate'>>();
  }

  /** Ends what an active membership allows; an owner must be left. */
  async function afterDeactivation({ membership, user }: ScimPerson): Promise<void> {
    const organizationId = membership.organizationId.toHexString();
    if (membership.role === 'owner') await memberships.ownerLost(organizationId);
    const settings = await settingsOf(organizationId);
    if (settings?.endSessionsOnScimDeactivate)
      await sessions.endIn(organizationId, user._id.toHexString());
  }

  /** Writes what the directory says now; tells what changed. */
  async function save(
    tenant: Tenant,
    person: ScimPerson,
    { profile, active }: { profile: Profile; active: boolean },
  ) {
    const { membership, user } = person;
    const { organizationId } = tenant;
    const id = user._id.toHexString();
    if (profile.directory.userName !== (membership.directory?.userName ?? user.email))
      await accounts.refuseTaken(organizationId, profile.directory.userName, id);
    const activity = activityAfter(membership, active);
    await models.memberships.updateOne(
      { _id: membership._id, organizationId },
      { $set: { ...profile, ...activity } },
    );
    await accounts.follow(organizationId, user, profile.directory);
    if (membership.isActive && !activity.isActive) await afterDeactivation(person);
    return {
      user: await people.find(tenant, id),
      events: eventsOf(person, profile, activity.isActive),
    };
  }

  return {
    list: (tenant: Tenant, filter: Filter | null, window: { skip: number; limit: number }) =>
      people.list(tenant, filter, window),

    /** @throws AppError `NOT_FOUND` */
    async get(tenant: Tenant, id: string, selection: Selection) {
      return project(people.shown(await people.find(tenant, id)), USER_SCHEMA, selection);
    },

    /**
     * The membership, and the account where there is none of that address; an account that exists is not touched.
     * @throws AppError `SCIM_UNIQUENESS` when the organisation has a user of that name
     */
    async create(tenant: Tenant, input: UserInput, selection: Selection) {
      const { organizationId } = tenant;
      const profile = profileOf(input);
      await accounts.refuseTaken(organizationId, profile.directory.userName);
      const { userId, awaitsProof } = await accounts.forNewMember(
        organizationId,
        profile.directory,
      );
      const settings = await settingsOf(organizationId);
      const decision = roleFor(input.groups, settings?.roleMapping ?? []);
      const activity = {
        isActive: input.active,
        deactivatedBy: input.active ? null : ('scim' as const),
      };
      await models.memberships.create([
        { organizationId, userId, role: decision.role, awaitsProof, ...activity, ...profile },
      ]);
      const made = people.shown(await people.find(tenant, userId));
      return {
        user: project(made, USER_SCHEMA, selection),
        location: made.meta.location,
        events: [created(userId, profile, decision)],
      };
    },

    /** Full replace: what is left out is cleared. @throws AppError `NOT_FOUND`, `SCIM_UNIQUENESS`, `VALIDATION_ERROR` (last owner) */
    async replace(
      tenant: Tenant,
      { id, input }: { id: string; input: UserInput },
      selection: Selection,
    ) {
      const person = await people.find(tenant, id);
      const { user, events } = await save(tenant, person, {
        profile: profileOf(input),
        active: input.active,
      });
      return { user: project(people.shown(user), USER_SCHEMA, selection), events };
    },

    /** All operations or none. @throws AppError as `replace`, and `SCIM_INVALID_VALUE` */
    async patch(
      tenant: Tenant,
      { id, operations }: { id: string; operations: readonly PatchOperation[] },
      selection: Selection,
    ) {
      const person = await people.find(tenant, id);
      const input = patched(person, operations);
      const { user, events } = await save(tenant, person, {
        profile: profileOf(input),
        active: input.active,
      });
      return { user: project(people.shown(user), USER_SCHEMA, selection), events };
    },

    /** Soft de-provisioning: the row stays. @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` (last owner) */
    async deactivate(tenant: Tenant, id: string): Promise<ScimUserEvent[]> {
      const person = await people.find(tenant, id);
      const { membership } = person;
      const activity = activityAfter(membership, false);
      await models.memberships.updateOne(
        { _id: membership._id, organizationId: tenant.organizationId },
        { $set: activity },
      );
      if (membership.isActive) await afterDeactivation(person);
      return [
        {
          action: 'scim.user.deactivated',
          resourceId: id,
          metadata: { externalId: membership.ssoId ?? null },
        },
      ];
    },
  };
}
export type ScimUserService = ReturnType<typeof createScimUserService>;

/** @throws AppError `SCIM_INVALID_VALUE` when there is no address that an account could have */
function profileOf({ userName, displayName, name, emails, externalId }: UserInput): Profile {
  const { formatted = null, givenName = null, familyName = null } = name ?? {};
  const directory = { userName, displayName, formatted, givenName, familyName, emails };
  emailOf(directory);
  return { ssoId: externalId, directory };
}

/** What a client wrote, without what the service adds: the resource that operations change. */
function writable({ membership, user }: ScimPerson): JsonObject {
  const { directory, ssoId, isActive } = membership;
  if (!directory) return { userName: user.email, displayName: user.name, active: isActive };
  const { userName, displayName, formatted, givenName, familyName, emails } = directory;
  return {
    userName,
    displayName,
    name: { formatted, givenName, familyName },
    active: isActive,
    externalId: ssoId,
    emails: emails.map(({ value, type, primary }) => ({ value, type, primary })),
  };
}

function patched(person: ScimPerson, operations: readonly PatchOperation[]): UserInput {
  try {
    const parsed = userInput.safeParse(applyPatch(writable(person), operations, USER_SCHEMA));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new AppError(
      'SCIM_INVALID_VALUE',
      `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  } catch (error) {
    if (error instanceof ScimPatchError) throw new AppError('SCIM_INVALID_VALUE', error.message);
    throw error;
  }
}

/** A suspension by the team is the team's to lift. */
function activityAfter({ isActive, deactivatedBy }: MembershipDocument, active: boolean) {
  if (!active)
    return { isActive: false, deactivatedBy: isActive ? ('scim' as const) : deactivatedBy };
  return !isActive && deactivatedBy === 'team'
    ? { isActive, deactivatedBy }
    : { isActive: true, deactivatedBy: null };
}

function created(
  resourceId: string,
  { ssoId, directory }: Profile,
  { role, matched }: RoleDecision,
): ScimUserEvent {
  const metadata = { externalId: ssoId, userName: directory.userName, role, matched };
  return { action: 'scim.user.created', resourceId, metadata };
}

/** One event for the change of state, one for that of the profile; that nothing changed is told too. */
function eventsOf(
  { membership, user }: ScimPerson,
  { ssoId, directory }: Profile,
  isActive: boolean,
): ScimUserEvent[] {
  const before: Partial<DirectoryEntry> = membership.directory ?? {};
  const changed = Object.entries(directory)
    .filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(before[name as keyof DirectoryEntry]),
    )
    .map(([name]) => name);
  if (ssoId !== (membership.ssoId ?? null)) changed.push('externalId');
  const resourceId = user._id.toHexString();
  const switched =
    isActive === membership.isActive
      ? []
      : [
          {
            action: isActive ? 'scim.user.reactivated' : 'scim.user.deactivated',
            resourceId,
            metadata: { externalId: ssoId },
          },
        ];
  if (changed.length === 0 && switched.length > 0) return switched;
  return [
    ...switched,
    { action: 'scim.user.updated', resourceId, metadata: { externalId: ssoId, changed } },
  ];
}
