// The members of an organisation as SCIM users: found, listed, filtered.
import type { Platform } from '../../../platform/platform.ts';
import { toComparableName } from '../../../domain/identity/addresses/email-address.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import type { Filter } from '../../../domain/scim/filter.ts';
import type { RoleGroup } from '../../../domain/scim/role-groups.ts';
import { AppError } from '../../../errors.ts';
import { readCursor, findOr404, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import { toScimDisplayName, type ScimPerson, type ScimUser, toScimUser } from './scim-user.ts';

interface Deps {
  /** URL of the SCIM interface, without a slash at the end. */
  baseUrl: string;
}

/** An element of `members` of a group. */
export interface GroupMember {
  value: string;
  $ref: string;
  display: string;
  type: string;
}

const BATCH = 500;
const ID = /^[0-9a-f]{24}$/;
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

export function createPeopleService({ models }: Pick<Platform, 'models'>, { baseUrl }: Deps) {
  const toResource = (person: ScimPerson): ScimUser => toScimUser(person, baseUrl);

  async function joinAccounts(memberships: readonly MembershipDocument[]): Promise<ScimPerson[]> {
    const users = await models.users
      .find({ _id: { $in: memberships.map(({ userId }) => userId) } })
      .lean<UserDocument[]>();
    const byId = new Map(users.map((user) => [user._id.toHexString(), user]));
    return memberships.flatMap((membership) => {
      const user = byId.get(membership.userId.toHexString());
      return user ? [{ membership, user }] : [];
    });
  }

  /** Selects the members that may match: all, or those that an index finds when the filter requires an identifier. */
  async function toCandidateFilter(organizationId: string, filter: Filter): Promise<object> {
    const id = filter.requiredValue('id');
    if (id !== undefined) return { organizationId, userId: ID.test(id) ? id : null };
    const externalId = filter.requiredValue('externalId');
    if (externalId !== undefined) return { organizationId, ssoId: externalId };
    const named = filter.requiredValue('userName');
    if (named === undefined) return { organizationId };
    const userName = toComparableName(named);
    const account = await models.users
      .findOne({ email: userName }, '_id')
      .lean<Pick<UserDocument, '_id'>>();
    const byName = { 'directory.userName': userName };
    return { organizationId, $or: account ? [byName, { userId: account._id }] : [byName] };
  }

  /** Yields the matching members in batches, newest first. */
  async function* readBatches(where: object): AsyncGenerator<ScimPerson[]> {
    let batch: MembershipDocument[] = [];
    const cursor = models.memberships
      .find(where)
      .sort(NEWEST_FIRST)
      .lean<MembershipDocument[]>()
      .cursor();
    for await (const membership of readCursor(cursor)) {
      batch.push(membership);
      if (batch.length < BATCH) continue;
      yield joinAccounts(batch);
      batch = [];
    }
    yield joinAccounts(batch);
  }

  async function listAll(organizationId: string, page: Page): Promise<Listed<ScimUser>> {
    if (page.limit === 0)
      return { total: await models.memberships.countDocuments({ organizationId }), items: [] };
    const where = { organizationId };
    const everybody = { skip: page.skip, limit: page.limit, exact: true } as const;
    const { total, items } = await listPage(models.memberships, where, everybody);
    return { total, items: (await joinAccounts(items)).map(toResource) };
  }

  return {
    toResource,

    /** @throws AppError `NOT_FOUND` */
    async findPerson({ organizationId }: Tenant, userId: string): Promise<ScimPerson> {
      const membership = await findOr404(
        models.memberships.findOne({ organizationId, userId }).lean<MembershipDocument>(),
        'User not found',
      );
      const [person] = await joinAccounts([membership]);
      if (!person) throw new AppError('NOT_FOUND', 'User not found');
      return person;
    },

    /** Lists members, newest first. */
    async listPeople(
      { organizationId }: Tenant,
      filter: Filter | null,
      { skip, limit }: Page,
    ): Promise<Listed<ScimUser>> {
      if (filter === null) return listAll(organizationId, { skip, limit });
      let total = 0;
      const items: ScimUser[] = [];
      for await (const batch of readBatches(await toCandidateFilter(organizationId, filter)))
        for (const resource of batch.map(toResource).filter(filter.matches)) {
          if (total >= skip && items.length < limit) items.push(resource);
          total += 1;
        }
      return { total, items };
    },

    /** Lists all members with a role as members of its group. */
    async listGroupMembers({ organizationId }: Tenant, role: RoleGroup): Promise<GroupMember[]> {
      const memberships = await models.memberships
        .find({ organizationId, role })
        .sort(NEWEST_FIRST)
        .lean<MembershipDocument[]>();
      return (await joinAccounts(memberships)).map((person) => {
        const value = person.user._id.toHexString();
        const $ref = `${baseUrl}/Users/${value}`;
        return { value, $ref, display: toScimDisplayName(person), type: 'User' };
      });
    },
  };
}
export type PeopleService = ReturnType<typeof createPeopleService>;
