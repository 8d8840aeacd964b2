// Routes of SCIM groups: the role groups can be read and their members changed, nothing else (document 1, section 4.5).
import { z } from 'zod';
import { AppError } from '../../../errors.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { listQuery, listView, patchInput, searchInput, selectionQuery } from '../scim.schemas.ts';
import { groupParams, groupView } from './groups.schemas.ts';
import { getScimGroup, patchScimGroup } from './groups.service.ts';
import { searchGroups } from '../searches.service.ts';

const scim = {
  auth: 'scim',
  plan: 'scim',
  kind: 'scim',
  invalidCode: 'SCIM_INVALID_VALUE',
} as const;
/** A directory may put thousands of members into one request. */
const PATCH_BYTES = 1024 * 1024;

/** Refuses a method that would create, replace or delete a group. */
const refuseMethod = (method: 'post' | 'put' | 'delete', path: string, Allow: string) =>
  route({
    method,
    path,
    summary: 'Not possible: the groups are fixed',
    ...scim,
    writes: 'none',
    codes: ['METHOD_NOT_ALLOWED'],
    status: [],
    data: z.null(),
    handler: () =>
      Promise.reject(
        new AppError('METHOD_NOT_ALLOWED', 'The groups are fixed', { headers: { Allow } }),
      ),
  });

export const scimGroupRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The role groups',
    ...scim,
    codes: ['SCIM_INVALID_FILTER'],
    query: listQuery,
    data: listView(groupView),
    handler: ({ ctx, query }) => searchGroups(ctx, query),
  }),
  route({
    method: 'post',
    path: '/.search',
    summary: 'List groups, with the query in the body',
    ...scim,
    writes: 'none',
    codes: ['SCIM_INVALID_FILTER'],
    body: searchInput,
    data: listView(groupView),
    handler: ({ ctx, body }) => searchGroups(ctx, body),
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One role group',
    ...scim,
    params: groupParams,
    query: selectionQuery,
    data: groupView,
    handler: ({ ctx, params, query }) => getScimGroup(ctx, params.id, query),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Add members to a role group or remove them; all operations or none',
    ...scim,
    codes: ['SCIM_INVALID_VALUE'],
    params: groupParams,
    bodyLimit: PATCH_BYTES,
    body: patchInput,
    status: 204,
    data: z.null(),
    audit: { action: 'scim.group.updated', resource: 'group' },
    handler: async ({ ctx, params, body }) =>
      reply(204, null, { audit: await patchScimGroup(ctx, params.id, body.Operations) }),
  }),
  refuseMethod('post', '/', 'GET, HEAD, OPTIONS'),
  refuseMethod('put', '/:id', 'GET, HEAD, PATCH, OPTIONS'),
  refuseMethod('delete', '/:id', 'GET, HEAD, PATCH, OPTIONS'),
];
