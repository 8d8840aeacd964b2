// Lists and searches of SCIM: the same filter, page and envelope for users, groups and both (RFC 7644, section 3.4).
import {
  compileFilter,
  type Filter,
  ScimFilterError,
  project,
  type Projected,
  type Selection,
  GROUP_SCHEMA,
  type ResourceSchema,
  USER_SCHEMA,
} from '@assay/scim';
import { compareAsNames } from './compared-schema.ts';
import { AppError } from '../../errors.ts';
import type { Listed } from '../../platform/mongo/queries.ts';
import { type ScimGroup, listScimGroups } from './groups/groups.service.ts';
import { listScimPeople } from './users/people.service.ts';
import type { ScimUser } from './users/scim-user.ts';
import type { Context } from '../../platform/context.ts';

export interface Search extends Selection {
  filter?: string | undefined;
  startIndex: number;
  count: number;
}

/** RFC 7644, section 3.4.2. */
export interface ListResponse<T> {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: T[];
}

type User = Projected<ScimUser>;
type Group = Projected<ScimGroup>;

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** Wraps one page of a list, with the total number of resources. */
export function toListResponse<T>(
  total: number,
  startIndex: number,
  resources: readonly T[],
): ListResponse<T> {
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

/** @throws AppError `SCIM_INVALID_FILTER` */
export async function searchUsers(ctx: Context, search: Search): Promise<ListResponse<User>> {
  const { total, items } = await findUsers(ctx, compileSearchFilter(search, USER_SCHEMA), search);
  return toListResponse(total, search.startIndex, items);
}

/** @throws AppError `SCIM_INVALID_FILTER` */
export async function searchGroups(ctx: Context, search: Search): Promise<ListResponse<Group>> {
  const { total, items } = await findGroups(ctx, compileSearchFilter(search, GROUP_SCHEMA), search);
  return toListResponse(total, search.startIndex, items);
}

/**
 * Finds users, then groups. A filter may suit only one of the two; the other then has no match.
 * @throws AppError `SCIM_INVALID_FILTER` when it suits neither
 */
export async function searchAll(ctx: Context, search: Search): Promise<ListResponse<User | Group>> {
  const userFilter = tryFilter(search, USER_SCHEMA);
  const groupFilter = tryFilter(search, GROUP_SCHEMA);
  if (userFilter instanceof AppError && groupFilter instanceof AppError) throw userFilter;
  const none = { total: 0, items: [] };
  const users = userFilter instanceof AppError ? none : await findUsers(ctx, userFilter, search);
  const rest = {
    ...search,
    startIndex: Math.max(1, search.startIndex - users.total),
    count: search.count - users.items.length,
  };
  const roles = groupFilter instanceof AppError ? none : await findGroups(ctx, groupFilter, rest);
  const items = [...users.items, ...roles.items];
  return toListResponse(users.total + roles.total, search.startIndex, items);
}

async function findUsers(
  ctx: Context,
  filter: Filter | null,
  { startIndex, count, ...selection }: Search,
): Promise<Listed<User>> {
  const page = { skip: startIndex - 1, limit: count };
  const { total, items } = await listScimPeople(ctx, filter, page);
  return { total, items: items.map((user) => project(user, USER_SCHEMA, selection)) };
}

async function findGroups(
  ctx: Context,
  filter: Filter | null,
  { startIndex, count, ...selection }: Search,
): Promise<Listed<Group>> {
  const found = await listScimGroups(ctx, filter, selection);
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  const items = page.map((group) => project(group, GROUP_SCHEMA, selection));
  return { total: found.length, items };
}

function compileSearchFilter({ filter }: Search, schema: ResourceSchema): Filter | null {
  try {
    return filter === undefined ? null : compileFilter(filter, compareAsNames(schema));
  } catch (error) {
    if (error instanceof ScimFilterError)
      throw new AppError('SCIM_INVALID_FILTER', `filter: ${error.message}`);
    throw error;
  }
}

/** Returns the filter, or the error when it does not suit the schema. */
function tryFilter(search: Search, schema: ResourceSchema): Filter | null | AppError {
  try {
    return compileSearchFilter(search, schema);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
