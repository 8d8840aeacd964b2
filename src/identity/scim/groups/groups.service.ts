// SCIM groups, which are the fixed role groups; adding a member assigns the role (document 1, sections 2 and 4.5).
import type { JsonObject } from '@assay/json';
import {
  type Filter,
  type PatchOperation,
  applyPatch,
  ScimPatchError,
  project,
  type Projected,
  type Selection,
  isReturned,
  GROUP_SCHEMA,
} from '@assay/scim';
import { compareAsNames } from '../compared-schema.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import {
  ROLE_GROUPS,
  toRemainingRole,
  type RoleGroup,
} from '../../../domain/identity/role-groups.ts';
import { AppError } from '../../../errors.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  requireRemainingOwner,
  listMemberships,
  changeRoles,
} from '../../organization/memberships/memberships.service.ts';
import { findDirectorySettings } from '../../organization/organization-facts.service.ts';
import { type GroupMember, listGroupMembers } from '../users/people.service.ts';
import type { ScimUserEvent } from '../users/users.service.ts';
import type { Context } from '../../../platform/context.ts';
import { getScimBaseUrl } from '../base-url.ts';

/** The resource of RFC 7643, section 4.2. */
export interface ScimGroup {
  schemas: string[];
  id: string;
  displayName: string;
  /** Absent when not requested. */
  members?: GroupMember[];
  meta: { resourceType: string; created: string; lastModified: string; location: string };
}

/** Members that one request may add and remove: each leaves an audit entry in the same transaction. */
const MAX_CHANGES = 1000;
const ID = /^[0-9a-f]{24}$/;

/** Reads the members only if the filter or the answer needs them. */
export async function listScimGroups(
  ctx: Context,
  filter: Filter | null,
  selection: Selection,
): Promise<ScimGroup[]> {
  const withMembers = filter !== null || isReturned(GROUP_SCHEMA, selection, 'members');
  const groups = await Promise.all(ROLE_GROUPS.map((group) => toResource(ctx, group, withMembers)));
  return filter ? groups.filter(filter.matches) : groups;
}

export async function getScimGroup(
  ctx: Context,
  group: RoleGroup,
  selection: Selection,
): Promise<Projected<ScimGroup>> {
  const withMembers = isReturned(GROUP_SCHEMA, selection, 'members');
  return project(await toResource(ctx, group, withMembers), GROUP_SCHEMA, selection);
}

/**
 * Applies all operations or none: an added member gets the role, a removed one a lesser role.
 * @throws AppError `SCIM_INVALID_VALUE`, `VALIDATION_ERROR` (last owner)
 */
export async function patchScimGroup(
  ctx: Context,
  group: RoleGroup,
  operations: readonly PatchOperation[],
): Promise<ScimUserEvent[]> {
  const members = await listGroupMembers(ctx, group);
  const before = new Set(members.map(({ value }) => value));
  const after = applyMemberPatch(members, operations);
  const added = [...after].filter((id) => !before.has(id));
  const removed = [...before].filter((id) => !after.has(id));
  if (added.length + removed.length > MAX_CHANGES)
    throw new AppError('SCIM_INVALID_VALUE', `more than ${MAX_CHANGES} changes of members`);
  const changes = {
    added: await assign(ctx, added, group),
    removed: await assign(ctx, removed, toRemainingRole(group)),
  };
  if ([...changes.added, ...changes.removed].some(isActiveOwner))
    await requireRemainingOwner(ctx.platform, ctx.tenant.organizationId);
  return toGroupEvents(group, changes);
}

async function toResource(
  ctx: Context,
  group: RoleGroup,
  withMembers: boolean,
): Promise<ScimGroup> {
  const { platform } = ctx;
  const organization = await findOr404(findDirectorySettings(platform, ctx.tenant.organizationId));
  return {
    schemas: [GROUP_SCHEMA.id],
    id: group,
    displayName: group,
    ...(withMembers && { members: await listGroupMembers(ctx, group) }),
    meta: {
      resourceType: 'Group',
      created: organization.createdAt.toISOString(),
      lastModified: organization.updatedAt.toISOString(),
      location: `${getScimBaseUrl(platform)}/Groups/${group}`,
    },
  };
}

/**
 * Assigns a role; returns the earlier memberships.
 * @throws AppError `SCIM_INVALID_VALUE` for an id that is no member's
 */
async function assign(
  { platform, tenant: { organizationId } }: Context,
  ids: readonly string[],
  role: Role,
): Promise<MembershipDocument[]> {
  const before = ids.every((id) => ID.test(id))
    ? await listMemberships(platform, organizationId, { userIds: ids })
    : [];
  if (before.length < ids.length)
    throw new AppError('SCIM_INVALID_VALUE', 'members has a value that is no user');
  await changeRoles(platform, organizationId, { userIds: [...ids], role });
  return before;
}

const isActiveOwner = ({ role, isActive }: MembershipDocument): boolean =>
  role === 'owner' && isActive;

/** Returns one event per member, or a separate one for a patch that changes nothing. */
function toGroupEvents(
  group: RoleGroup,
  { added, removed }: { added: MembershipDocument[]; removed: MembershipDocument[] },
): ScimUserEvent[] {
  if (added.length + removed.length === 0)
    return [{ action: 'scim.group.updated', resourceId: group, metadata: { changed: [] } }];
  const toEvent = (action: string, role: Role) => (before: MembershipDocument) => ({
    action,
    resourceId: group,
    metadata: { group, role, userId: before.userId.toHexString(), roleBefore: before.role },
  });
  return [
    ...added.map(toEvent('scim.group.member_add', group)),
    ...removed.map(toEvent('scim.group.member_remove', toRemainingRole(group))),
  ];
}

/** Returns the ids of the members, lower-cased. @throws AppError `SCIM_INVALID_VALUE` */
function applyMemberPatch(
  members: readonly GroupMember[],
  operations: readonly PatchOperation[],
): Set<string> {
  try {
    let group: JsonObject = { members: members.map((member) => ({ ...member })) };
    for (const operation of operations) {
      const next = applyPatch(group, [operation], compareAsNames(GROUP_SCHEMA));
      if (operation.op === 'replace' && next.members !== group.members)
        throw new ScimPatchError('members can be added and removed, not replaced');
      group = next;
    }
    const ids = (group.members as JsonObject[]).map(({ value }) => value);
    if (!ids.every((id) => typeof id === 'string'))
      throw new ScimPatchError('every member needs a value');
    return new Set(ids.map((id) => id.toLowerCase()));
  } catch (error) {
    if (error instanceof ScimPatchError) throw new AppError('SCIM_INVALID_VALUE', error.message);
    throw error;
  }
}
