// Routes of SCIM users (document 1, section 4.5).
import { z } from 'zod';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { listQuery, listView, patchInput, searchInput, selectionQuery } from '../scim.schemas.ts';
import { scimUserView, userInput } from './users.schemas.ts';

const scim = {
  auth: 'scim',
  plan: 'scim',
  kind: 'scim',
  invalidCode: 'SCIM_INVALID_VALUE',
} as const;
const toAudit = (action: string) => ({ action, resource: 'user' });
const changes = {
  ...scim,
  params: byId,
  codes: ['SCIM_INVALID_VALUE', 'SCIM_UNIQUENESS'],
} as const;

export const scimUserRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List provisioned and other members',
    ...scim,
    codes: ['SCIM_INVALID_FILTER'],
    query: listQuery,
    data: listView(scimUserView),
    handler: ({ tenant, query }, { scim }) => scim.searches.searchUsers(tenant, query),
  }),
  route({
    method: 'post',
    path: '/.search',
    summary: 'List users, with the query in the body',
    ...scim,
    writes: 'none',
    codes: ['SCIM_INVALID_FILTER'],
    body: searchInput,
    data: listView(scimUserView),
    handler: ({ tenant, body }, { scim }) => scim.searches.searchUsers(tenant, body),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Provision a user',
    ...scim,
    codes: ['SCIM_UNIQUENESS'],
    status: 201,
    query: selectionQuery,
    body: userInput,
    data: scimUserView,
    audit: toAudit('scim.user.created'),
    async handler({ tenant, body, query }, { scim }) {
      const { user, location, events } = await scim.users.create(tenant, body, query);
      return reply(201, user, { audit: events, headers: { Location: location } });
    },
  }),
  route({
    method: 'get',
    path: '/:id',
    summary: 'One user',
    ...scim,
    params: byId,
    query: selectionQuery,
    data: scimUserView,
    handler: ({ tenant, params, query }, { scim }) => scim.users.getUser(tenant, params.id, query),
  }),
  route({
    method: 'put',
    path: '/:id',
    summary: 'Replace a user; what is left out is cleared',
    ...changes,
    query: selectionQuery,
    body: userInput,
    data: scimUserView,
    audit: toAudit('scim.user.updated'),
    async handler({ tenant, params, body, query }, { scim }) {
      const { user, events } = await scim.users.replace(tenant, { ...params, input: body }, query);
      return reply(200, user, { audit: events });
    },
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change a user; all operations or none',
    ...changes,
    query: selectionQuery,
    body: patchInput,
    data: scimUserView,
    audit: toAudit('scim.user.updated'),
    async handler({ tenant, params, body, query }, { scim }) {
      const { user, events } = await scim.users.patch(
        tenant,
        { ...params, operations: body.Operations },
        query,
      );
      return reply(200, user, { audit: events });
    },
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'De-provision a user; the record stays',
    ...scim,
    params: byId,
    status: 204,
    data: z.null(),
    audit: toAudit('scim.user.deactivated'),
    handler: async ({ tenant, params }, { scim }) =>
      reply(204, null, { audit: await scim.users.disableUser(tenant, params.id) }),
  }),
];
