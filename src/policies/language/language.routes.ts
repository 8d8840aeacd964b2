// Routes to read policies as rule-language source, check it and create policies from it (document 2, section 4.2).
import { MANAGERS, READERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { policyView } from '../policies.schemas.ts';
import {
  checkedSourceView,
  SOURCE_BODY_BYTES,
  sourceInput,
  sourceToCheck,
  sourceView,
} from './language.schemas.ts';
import { checkForPolicy, checkSource, createFromSource, printSource } from './language.service.ts';

const check = {
  auth: 'user',
  writes: 'none',
  body: sourceToCheck,
  bodyLimit: SOURCE_BODY_BYTES,
  data: checkedSourceView,
} as const;

export const policyLanguageRoutes = [
  route({
    method: 'post',
    path: '/from-adl',
    summary: 'Create a policy from rule-language source',
    auth: 'user',
    roles: MANAGERS,
    status: 201,
    body: sourceInput,
    bodyLimit: SOURCE_BODY_BYTES,
    data: policyView,
    codes: ['INVALID_OPERATION'],
    audit: { action: 'policy.create', resource: 'policy' },
    handler: async ({ ctx, body }) => reply(201, await createFromSource(ctx, body)),
  }),
  route({
    method: 'post',
    path: '/_new/validate-adl',
    summary: 'Parse and type-check rule-language source',
    ...check,
    handler: async ({ body }) => checkSource(body.adl),
  }),
  route({
    method: 'post',
    path: '/:id/validate-adl',
    summary: 'Parse and type-check rule-language source for a policy',
    ...check,
    params: byId,
    handler: ({ ctx, params, body }) => checkForPolicy(ctx, params.id, body.adl),
  }),
  route({
    method: 'get',
    path: '/:id/adl',
    summary: 'A policy as rule-language source',
    auth: 'reader',
    roles: [...READERS, 'auditor'],
    agentScope: 'irrelevant',
    params: byId,
    data: sourceView,
    handler: ({ ctx, params }) => printSource(ctx, params.id),
  }),
];
