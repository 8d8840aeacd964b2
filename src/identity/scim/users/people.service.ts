// The members of an organisation as SCIM users: found, listed, filtered.
import type { Filter } from '@assay/scim';
import type { Platform } from '../../../platform/platform.ts';
import { toComparableName } from '../../../domain/identity/addresses/email-address.ts';
import type { Page } from '../../../domain/page.ts';
import type { RoleGroup } from '../../../domain/identity/role-groups.ts';
import { AppError } from '../../../errors.ts';
import { readCursor, findOr404, type Listed, listPage } from '../../../platform/mongo/queries.ts';
import { findUserIdByAddress, joinAccounts } from '../../auth/accounts/account-reader.service.ts';
import type { MembershipDocument } from '../../organization/memberships/memberships.model.ts';
import {
  findMembership,
  listMemberships,
} from '../../organization/memberships/memberships.service.ts';
import { toScimDisplayName, type ScimPerson, type ScimUser, toScimUser } from './scim-user.ts';
import type { Context } from '../../../platform/context.ts';
import { getScimBaseUrl } from '../base-url.ts';

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

export function toUserResource(platform: Platform, person: ScimPerson): ScimUser {
  return toScimUser(person, getScimBaseUrl(platform));
}

/** @throws AppError `NOT_FOUND` */
export async function findScimPerson(
  { platform, tenant: { organizationId } }: Context,
  userId: string,
): Promise<ScimPerson> {
  const membership = await findOr404(
    findMembership(platform, organizationId, userId),
    'User not found',
  );
  const [person] = await joinPeople(platform, [membership]);
  if (!person) throw new AppError('NOT_FOUND', 'User not found');
  return person;
}

/** Lists members, newest first. */
export async function listScimPeople(
  { platform, tenant: { organizationId } }: Context,
  filter: Filter | null,
  { skip, limit }: Page,
): Promise<Listed<ScimUser>> {
  if (filter === null) return listAll(platform, organizationId, { skip, limit });
  let total = 0;
  const items: ScimUser[] = [];
  for await (const batch of readBatches(
    platform,
    await toCandidateFilter(platform, organizationId, filter),
  ))
    for (const resource of batch
      .map((person) => toUserResource(platform, person))
      .filter(filter.matches)) {
      if (total >= skip && items.length < limit) items.push(resource);
      total += 1;
    }
  return { total, items };
}

/** Lists all members with a role as members of its group. */
export async function listGroupMembers(
  { platform, tenant: { organizationId } }: Context,
  role: RoleGroup,
): Promise<GroupMember[]> {
  const found = await listMemberships(platform, organizationId, { role });
  return (await joinPeople(platform, found)).map((person) => {
    const value = person.user._id.toHexString();
    const $ref = `${getScimBaseUrl(platform)}/Users/${value}`;
    return { value, $ref, display: toScimDisplayName(person), type: 'User' };
  });
}

async function joinPeople(
  platform: Platform,
  found: readonly MembershipDocument[],
): Promise<ScimPerson[]> {
  const joined = await joinAccounts(platform, found);
  return joined.map(({ row: membership, user }) => ({ membership, user }));
}

/** Selects the members that may match: all, or those that an index finds when the filter requires an identifier. */
async function toCandidateFilter(
  platform: Platform,
  organizationId: string,
  filter: Filter,
): Promise<object> {
  const id = filter.requiredValue('id');
  if (id !== undefined) return { organizationId, userId: ID.test(id) ? id : null };
  const externalId = filter.requiredValue('externalId');
  if (externalId !== undefined) return { organizationId, ssoId: externalId };
  const named = filter.requiredValue('userName');
  if (named === undefined) return { organizationId };
  const userName = toComparableName(named);
  const userId = await findUserIdByAddress(platform, userName);
  const byName = { 'directory.userName': userName };
  return { organizationId, $or: userId ? [byName, { userId }] : [byName] };
}

/** Yields the matching members in batches, newest first. */
async function* readBatches(platform: Platform, where: object): AsyncGenerator<ScimPerson[]> {
  let batch: MembershipDocument[] = [];
  const cursor = platform.models.memberships
    .find(where)
    .sort(NEWEST_FIRST)
    .lean<MembershipDocument[]>()
    .cursor();
  for await (const membership of readCursor(cursor)) {
    batch.push(membership);
    if (batch.length < BATCH) continue;
    yield joinPeople(platform, batch);
    batch = [];
  }
  yield joinPeople(platform, batch);
}

async function listAll(
  platform: Platform,
  organizationId: string,
  page: Page,
): Promise<Listed<ScimUser>> {
  if (page.limit === 0)
    return {
      total: await platform.models.memberships.countDocuments({ organizationId }),
      items: [],
    };
  const where = { organizationId };
  const everybody = { skip: page.skip, limit: page.limit, exact: true } as const;
  const { total, items } = await listPage(platform.models.memberships, where, everybody);
  return {
    total,
    items: (await joinPeople(platform, items)).map((person) => toUserResource(platform, person)),
  };
}
