// Routes of SCIM users (document 1, section 4.5).
import { z } from 'zod';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { listQuery, listView, patchInput, searchInput, selectionQuery } from '../scim.schemas.ts';
import { scimUserView, userInput } from './users.schemas.ts';
import {
  getScimUser,
  createScimUser,
  replaceScimUser,
  patchScimUser,
  disableScimUser,
} from './users.service.ts';
import { searchUsers } from '../searches.service.ts';

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
    handler: ({ ctx, query }) => searchUsers(ctx, query),
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
    handler: ({ ctx, body }) => searchUsers(ctx, body),
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
    async handler({ ctx, body, query }) {
      const { user, location, events } = await createScimUser(ctx, body, query);
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
    handler: ({ ctx, params, query }) => getScimUser(ctx, params.id, query),
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
    async handler({ ctx, params, body, query }) {
      const { user, events } = await replaceScimUser(ctx, { ...params, input: body }, query);
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
    async handler({ ctx, params, body, query }) {
      const { user, events } = await patchScimUser(
        ctx,
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
    handler: async ({ ctx, params }) =>
      reply(204, null, { audit: await disableScimUser(ctx, params.id) }),
  }),
];
