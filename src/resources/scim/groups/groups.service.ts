// SCIM groups: the fixed role buckets; putting somebody into one gives the role (document 1, sections 2 and 4.5).
import type { Platform } from '../../../composition/platform.ts';
import type { Role } from '../../../domain/identity/roles.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { JsonObject } from '../../../domain/record/json.ts';
import type { Filter } from '../../../domain/scim/filter.ts';
import { applyPatch, type PatchOperation, ScimPatchError } from '../../../domain/scim/patch.ts';
import { project, type Selection, shows } from '../../../domain/scim/projection.ts';
import { ROLE_GROUPS, roleAfter, type RoleGroup } from '../../../domain/scim/role-groups.ts';
import { GROUP_SCHEMA } from '../../../domain/scim/schema.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';
import type { PeopleService } from '../users/people.service.ts';
import type { ScimUserEvent } from '../users/users.service.ts';

type Deps = Pick<Platform, 'models'> & {
  people: PeopleService;
  memberships: MembershipService;
  baseUrl: string;
};

/** Members that one request may move: each leaves an audit entry in the same transaction. */
const MAX_MOVES = 1000;
const ID = /^[0-9a-f]{24}$/;

export function createScimGroupService({ models, people, memberships, baseUrl }: Deps) {
  async function shown(tenant: Tenant, bucket: RoleGroup, withMembers: boolean) {
    const organization = await models.organizations
      .findById(tenant.organizationId, 'createdAt updatedAt')
      .lean<Pick<OrganizationDocument, 'createdAt' | 'updatedAt'>>();
    if (!organization) throw new AppError('NOT_FOUND');
    return {
      schemas: [GROUP_SCHEMA.id],
      id: bucket as string,
      displayName: bucket as string,
      ...(withMembers && { members: await people.inRole(tenant, bucket) }),
      meta: {
        resourceType: 'Group',
        created: organization.createdAt.toISOString(),
        lastModified: organization.updatedAt.toISOString(),
        location: `${baseUrl}/Groups/${bucket}`,
      },
    };
  }

  /** Gives members a role. @throws AppError `SCIM_INVALID_VALUE` for somebody who is no member of the organisation */
  async function move(
    { organizationId }: Tenant,
    ids: readonly string[],
    role: Role,
  ): Promise<MembershipDocument[]> {
    const where = { organizationId, userId: { $in: ids } };
    const before = ids.every((id) => ID.test(id))
      ? await models.memberships.find(where).lean<MembershipDocument[]>()
      : [];
    if (before.length < ids.length)
      throw new AppError('SCIM_INVALID_VALUE', 'members names somebody who is no user');
    await models.memberships.updateMany(where, { $set: { role } });
    return before;
  }

  return {
    /** Reads the members only where the filter or the answer needs them. */
    async list(tenant: Tenant, filter: Filter | null, selection: Selection) {
      const withMembers = filter !== null || shows(GROUP_SCHEMA, selection, 'members');
      const groups = await Promise.all(
        ROLE_GROUPS.map((bucket) => shown(tenant, bucket, withMembers)),
      );
      return filter ? groups.filter(filter.matches) : groups;
    },

    async get(tenant: Tenant, bucket: RoleGroup, selection: Selection) {
      const group = await shown(tenant, bucket, shows(GROUP_SCHEMA, selection, 'members'));
      return project(group, GROUP_SCHEMA, selection);
    },

    /**
     * All operations or none; whoever enters gets the role, whoever leaves a lesser one.
     * @throws AppError `SCIM_INVALID_VALUE`, `VALIDATION_ERROR` (last owner)
     */
    async patch(
      tenant: Tenant,
      bucket: RoleGroup,
      operations: readonly PatchOperation[],
    ): Promise<ScimUserEvent[]> {
      const members = await people.inRole(tenant, bucket);
      const [before, after] = [
        members.map(({ value }) => value),
        membersAfter(members, operations),
      ];
      const entering = after.filter((id) => !before.includes(id));
      const leaving = before.filter((id) => !after.includes(id));
      if (entering.length + leaving.length > MAX_MOVES)
        throw new AppError(
          'SCIM_INVALID_VALUE',
          `at most ${MAX_MOVES} members may be moved at once`,
        );
      const entered = await move(tenant, entering, bucket);
      const left = await move(tenant, leaving, roleAfter(bucket));
      const ownerLost = [...entered, ...left].some(
        ({ role, isActive }) => role === 'owner' && isActive,
      );
      if (ownerLost) await memberships.ownerLost(tenant.organizationId);
      const events = [
        ...entered.map((one) =>
          moved('scim.group.member_add', one, { group: bucket, role: bucket }),
        ),
        ...left.map((one) =>
          moved('scim.group.member_remove', one, { group: bucket, role: roleAfter(bucket) }),
        ),
      ];
      return events.length > 0
        ? events
        : [{ action: 'scim.group.updated', resourceId: bucket, metadata: { changed: [] } }];
    },
  };
}
export type ScimGroupService = ReturnType<typeof createScimGroupService>;

function moved(
  action: string,
  { userId, role }: MembershipDocument,
  metadata: { group: RoleGroup; role: Role },
): ScimUserEvent {
  return {
    action,
    resourceId: metadata.group,
    metadata: { ...metadata, userId: userId.toHexString(), roleBefore: role },
  };
}

/** Ids after the operations; members are added and removed, never replaced (document 1, section 4.5). */
function membersAfter(members: JsonObject[], operations: readonly PatchOperation[]): string[] {
  try {
    let group: JsonObject = { members };
    for (const operation of operations) {
      const next = applyPatch(group, [operation], GROUP_SCHEMA);
      if (operation.op === 'replace' && next.members !== group.members)
        throw new ScimPatchError('members are added and removed, not replaced');
      group = next;
    }
    const ids = (group.members as JsonObject[]).map(({ value }) => value);
    if (!ids.every((id) => typeof id === 'string'))
      throw new ScimPatchError('members are named by their value');
    return [...new Set(ids.map((id) => id.toLowerCase()))];
  } catch (error) {
    if (error instanceof ScimPatchError) throw new AppError('SCIM_INVALID_VALUE', error.message);
    throw error;
  }
}
