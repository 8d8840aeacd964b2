// SCIM users: provisioned, changed and deactivated by the organisation's directory (document 1, sections 2, 3 and 4.5).
import {
  type PatchOperation,
  project,
  type Projected,
  type Selection,
  USER_SCHEMA,
} from '@assay/scim';
import { type RoleDecision, decideRole } from '../../../domain/identity/role-mapping.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  requireRemainingOwner,
  addMembership,
  changeMembership,
} from '../../organization/memberships/memberships.service.ts';
import { findDirectorySettings } from '../../organization/organization-facts.service.ts';
import { requireFreeUserName, resolveScimAccount, syncScimAccount } from './accounts.service.ts';
import { toUserResource, findScimPerson } from './people.service.ts';
import {
  listChangedAttributes,
  type DirectoryProfile,
  patchUser,
  toDirectoryProfile,
} from './profile.ts';
import type { ScimPerson, ScimUser } from './scim-user.ts';
import type { UserInput } from './users.schemas.ts';
import type { Platform } from '../../../platform/platform.ts';
import { endMemberSessions } from '../../auth/sessions/open-sessions.service.ts';
import type { Context } from '../../../platform/context.ts';

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

/** @throws AppError `NOT_FOUND` */
export async function getScimUser(
  ctx: Context,
  id: string,
  selection: Selection,
): Promise<Projected<ScimUser>> {
  return project(
    toUserResource(ctx.platform, await findScimPerson(ctx, id)),
    USER_SCHEMA,
    selection,
  );
}

/**
 * Creates the membership, and an account if the address has none; an existing account is not changed.
 * @throws AppError `SCIM_UNIQUENESS` when the organisation has a user of that name
 */
export async function createScimUser(
  ctx: Context,
  input: UserInput,
  selection: Selection,
): Promise<ProvisionedScimUser> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const profile = toDirectoryProfile(input);
  const { directory } = profile;
  await requireFreeUserName(platform, organizationId, { userName: directory.userName });
  const { userId, ...offer } = await resolveScimAccount(platform, organizationId, directory);
  const settings = await findDirectorySettings(platform, organizationId);
  const decision = decideRole(input.groups, settings?.roleMapping ?? []);
  const activity: Activity = {
    isActive: input.active,
    deactivatedBy: input.active ? null : 'scim',
  };
  const { role } = decision;
  await addMembership(platform, {
    organizationId,
    userId,
    role,
    ...offer,
    ...activity,
    ...profile,
  });
  const made = toUserResource(platform, await findScimPerson(ctx, userId));
  return {
    user: project(made, USER_SCHEMA, selection),
    location: made.meta.location,
    events: [toCreatedEvent(userId, profile, decision)],
  };
}

/**
 * Replaces the user; absent attributes are cleared.
 * @throws AppError `NOT_FOUND`, `SCIM_UNIQUENESS`, `VALIDATION_ERROR` (last owner)
 */
export async function replaceScimUser(
  ctx: Context,
  { id, input }: { id: string; input: UserInput },
  selection: Selection,
): Promise<ChangedScimUser> {
  return saveProfile(ctx, await findScimPerson(ctx, id), { input, selection });
}

/** Applies all operations or none. @throws AppError as `replace`, and `SCIM_INVALID_VALUE` */
export async function patchScimUser(
  ctx: Context,
  { id, operations }: { id: string; operations: readonly PatchOperation[] },
  selection: Selection,
): Promise<ChangedScimUser> {
  const person = await findScimPerson(ctx, id);
  return saveProfile(ctx, person, { input: patchUser(person, operations), selection });
}

/** Deactivates a user; the row stays. @throws AppError `NOT_FOUND`, `VALIDATION_ERROR` (last owner) */
export async function disableScimUser(ctx: Context, id: string): Promise<ScimUserEvent[]> {
  const { platform } = ctx;
  const person = await findScimPerson(ctx, id);
  const { membership } = person;
  await changeMembership(platform, membership, toActivity(membership, false));
  if (membership.isActive) await handleDeactivation(platform, person);
  const metadata = { externalId: membership.ssoId ?? null };
  return [{ action: 'scim.user.deactivated', resourceId: id, metadata }];
}

/** Checks that an active owner remains, and ends sessions if the organisation wants it. */
async function handleDeactivation(
  platform: Platform,
  { membership, user }: ScimPerson,
): Promise<void> {
  const organizationId = membership.organizationId.toHexString();
  if (membership.role === 'owner') await requireRemainingOwner(platform, organizationId);
  const settings = await findDirectorySettings(platform, organizationId);
  if (settings?.endSessionsOnScimDeactivate)
    await endMemberSessions(platform, organizationId, user._id.toHexString());
}

/** Writes the profile and state that the directory sends. */
async function saveProfile(
  ctx: Context,
  person: ScimPerson,
  { input, selection }: { input: UserInput; selection: Selection },
): Promise<ChangedScimUser> {
  const { platform } = ctx;
  const { membership, user } = person;
  const { organizationId } = ctx.tenant;
  const id = user._id.toHexString();
  const profile = toDirectoryProfile(input);
  const { userName } = profile.directory;
  if (userName !== (membership.directory?.userName ?? user.email))
    await requireFreeUserName(platform, organizationId, { userName, exceptUserId: id });
  const activity = toActivity(membership, input.active);
  await changeMembership(platform, membership, { ...profile, ...activity });
  await syncScimAccount(platform, organizationId, { user, entry: profile.directory });
  if (membership.isActive && !activity.isActive) await handleDeactivation(platform, person);
  const saved = toUserResource(platform, await findScimPerson(ctx, id));
  return {
    user: project(saved, USER_SCHEMA, selection),
    events: toChangeEvents(person, profile, activity.isActive),
  };
}

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
