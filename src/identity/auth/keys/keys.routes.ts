// Routes of workspace API keys: create, list, change, revoke.
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { byId } from '../../../http/declaration/views.ts';
import { currentKeyView, keyChange, keyInput, keyView, newKeyView } from './keys.schemas.ts';

const manage = { auth: 'user', limits: [AUTH], roles: MANAGERS } as const;
const toAudit = (action: string) => ({ action, resource: 'apiKey' });

export const currentKeyRoutes = [
  route({
    method: 'get',
    path: '/key',
    summary: 'What the key of the request is, and what it may do',
    auth: 'anyKey',
    data: currentKeyView,
    handler: async ({ tenant, key }, { auth, agents }) =>
      auth.keys.describeCurrent(tenant, key, await agents.resolver.findKeyAgent(tenant, key)),
  }),
];

export const keyRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List workspace keys by prefix',
    ...manage,
    page: { limit: 50, max: 200 },
    data: keyView,
    handler: ({ tenant, page }, { auth }) => auth.keys.listKeys(tenant, page),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Mint a workspace key; shown once',
    verified: true,
    ...manage,
    status: 201,
    body: keyInput,
    data: newKeyView,
    codes: ['INVALID_OPERATION'],
    audit: toAudit('apikey.create'),
    handler: async ({ tenant, user, body }, { auth }) =>
      reply(201, await auth.keys.create(tenant, user, body)),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Change the name or scope of a key',
    ...manage,
    params: byId,
    body: keyChange,
    data: keyView,
    audit: toAudit('apikey.update'),
    handler: ({ tenant, params, body }, { auth }) => auth.keys.update(tenant, params.id, body),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Revoke a key at once',
    ...manage,
    params: byId,
    data: keyView,
    audit: toAudit('apikey.revoke'),
    handler: ({ tenant, params }, { auth }) => auth.keys.revoke(tenant, params.id),
  }),
];
