// The members of an organisation as SCIM users: found, listed, filtered.
import type { Filter } from '@assay/scim';
import type { Platform } from '../../../platform/platform.ts';
import { toComparableName } from '../../../domain/identity/addresses/email-address.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import type { Page } from '../../../domain/page.ts';
import type { RoleGroup } from '../../../domain/identity/role-groups.ts';
import { AppError } from '../../../errors.ts';
import { readCursor, findOr404, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import type { AccountReader } from '../../auth/accounts/account-reader.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import { toScimDisplayName, type ScimPerson, type ScimUser, toScimUser } from './scim-user.ts';

interface Deps {
  accountReader: AccountReader;
  memberships: MembershipService;
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

export function createPeopleService(
  { models }: Pick<Platform, 'models'>,
  { accountReader, memberships, baseUrl }: Deps,
) {
  const toResource = (person: ScimPerson): ScimUser => toScimUser(person, baseUrl);

  async function joinAccounts(found: readonly MembershipDocument[]): Promise<ScimPerson[]> {
    const joined = await accountReader.joinAccounts(found);
    return joined.map(({ row: membership, user }) => ({ membership, user }));
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
    const userId = await accountReader.findIdByAddress(userName);
    const byName = { 'directory.userName': userName };
    return { organizationId, $or: userId ? [byName, { userId }] : [byName] };
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
        memberships.findMembership(organizationId, userId),
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
      const found = await memberships.listMemberships(organizationId, { role });
      return (await joinAccounts(found)).map((person) => {
        const value = person.user._id.toHexString();
        const $ref = `${baseUrl}/Users/${value}`;
        return { value, $ref, display: toScimDisplayName(person), type: 'User' };
      });
    },
  };
}
export type PeopleService = ReturnType<typeof createPeopleService>;
