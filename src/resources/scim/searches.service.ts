// Lists and searches of SCIM: one filter, one window, one envelope for users, groups and both (RFC 7644, section 3.4).
import type { Tenant } from '../../domain/identity/tenant.ts';
import { compileFilter, type Filter } from '../../domain/scim/filter.ts';
import { ScimFilterError } from '../../domain/scim/grammar.ts';
import { project, type Selection } from '../../domain/scim/projection.ts';
import { GROUP_SCHEMA, type ResourceSchema, USER_SCHEMA } from '../../domain/scim/schema.ts';
import { AppError } from '../../errors.ts';
import type { ScimGroupService } from './groups/groups.service.ts';
import type { PeopleService } from './users/people.service.ts';

type Deps = {
  people: PeopleService;
  groups: ScimGroupService;
};

export interface Search extends Selection {
  filter?: string | undefined;
  startIndex: number;
  count: number;
}

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A page of a list: what was found altogether, and the part that is answered. */
export function listResponse<T>(total: number, startIndex: number, resources: readonly T[]) {
  return {
    schemas: [LIST],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

export function createSearchService({ people, groups }: Deps) {
  async function users(
    tenant: Tenant,
    filter: Filter | null,
    { startIndex, count, ...selection }: Search,
  ) {
    const { total, items } = await people.list(tenant, filter, {
      skip: startIndex - 1,
      limit: count,
    });
    return { total, items: items.map((user) => project(user, USER_SCHEMA, selection)) };
  }

  async function buckets(
    tenant: Tenant,
    filter: Filter | null,
    { startIndex, count, ...selection }: Search,
  ) {
    const found = await groups.list(tenant, filter, selection);
    const page = found.slice(startIndex - 1, startIndex - 1 + count);
    return {
      total: found.length,
      items: page.map((group) => project(group, GROUP_SCHEMA, selection)),
    };
  }

  return {
    /** @throws AppError `SCIM_INVALID_FILTER` */
    async users(tenant: Tenant, search: Search) {
      const { total, items } = await users(tenant, filterOf(search, USER_SCHEMA), search);
      return listResponse(total, search.startIndex, items);
    },

    /** @throws AppError `SCIM_INVALID_FILTER` */
    async groups(tenant: Tenant, search: Search) {
      const { total, items } = await buckets(tenant, filterOf(search, GROUP_SCHEMA), search);
      return listResponse(total, search.startIndex, items);
    },

    /**
     * Users, then groups. A filter need only suit one of them: the other has nothing that fits.
     * @throws AppError `SCIM_INVALID_FILTER` when it suits neither
     */
    async everything(tenant: Tenant, search: Search) {
      const [forUsers, forGroups] = [attempt(search, USER_SCHEMA), attempt(search, GROUP_SCHEMA)];
      if (forUsers instanceof AppError && forGroups instanceof AppError) throw forUsers;
      const none = { total: 0, items: [] };
      const people = forUsers instanceof AppError ? none : await users(tenant, forUsers, search);
      const rest = {
        ...search,
        startIndex: Math.max(1, search.startIndex - people.total),
        count: search.count - people.items.length,
      };
      const roles = forGroups instanceof AppError ? none : await buckets(tenant, forGroups, rest);
      return listResponse(people.total + roles.total, search.startIndex, [
        ...people.items,
        ...roles.items,
      ]);
    },
  };
}
export type SearchService = ReturnType<typeof createSearchService>;

function filterOf({ filter }: Search, schema: ResourceSchema): Filter | null {
  try {
    return filter === undefined ? null : compileFilter(filter, schema);
  } catch (error) {
    if (error instanceof ScimFilterError)
      throw new AppError('SCIM_INVALID_FILTER', `filter: ${error.message}`);
    throw error;
  }
}

function attempt(search: Search, schema: ResourceSchema): Filter | null | AppError {
  try {
    return filterOf(search, schema);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
