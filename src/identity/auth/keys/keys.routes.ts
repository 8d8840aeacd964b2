// Routes of workspace API keys: create, list, change, revoke.
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { AUTH } from '../../../http/declaration/rate-limits.ts';
import { byId } from '../../../http/declaration/views.ts';
import { currentKeyView, keyChange, keyInput, keyView, newKeyView } from './keys.schemas.ts';
import { findKeyAgent } from '../../agents/agent-resolver.service.ts';
import { describeCurrentKey, listKeys, createKey, updateKey, revokeKey } from './keys.service.ts';

const manage = { auth: 'user', limits: [AUTH], roles: MANAGERS } as const;
const toAudit = (action: string) => ({ action, resource: 'apiKey' });

export const currentKeyRoutes = [
  route({
    method: 'get',
    path: '/key',
    summary: 'What the key of the request is, and what it may do',
    auth: 'anyKey',
    data: currentKeyView,
    handler: async ({ ctx, key }) => describeCurrentKey(ctx, key, await findKeyAgent(ctx, key)),
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
    handler: ({ ctx, page }) => listKeys(ctx, page),
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
    handler: async ({ ctx, body }) => reply(201, await createKey(ctx, body)),
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
    handler: ({ ctx, params, body }) => updateKey(ctx, params.id, body),
  }),
  route({
    method: 'delete',
    path: '/:id',
    summary: 'Revoke a key at once',
    ...manage,
    params: byId,
    data: keyView,
    audit: toAudit('apikey.revoke'),
    handler: ({ ctx, params }) => revokeKey(ctx, params.id),
  }),
];
