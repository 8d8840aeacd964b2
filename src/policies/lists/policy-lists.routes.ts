// Named lists that policies refer to.
import { z } from 'zod';
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  byListDigest,
  byListName,
  deletedListView,
  LIST_BODY_BYTES,
  listContentsView,
  newListName,
  policyListInput,
  policyListSummary,
  policyListView,
} from './policy-lists.schemas.ts';
import {
  getListContents,
  getPolicyList,
  listPolicyLists,
  readListChange,
  putPolicyList,
  removePolicyList,
} from './policy-lists.service.ts';

const read = { auth: 'reader', agentScope: 'irrelevant' } as const;
const manage = { auth: 'user', roles: MANAGERS } as const;

export const policyListRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The lists that policies may refer to',
    ...read,
    data: z.array(policyListSummary),
    handler: ({ ctx }) => listPolicyLists(ctx),
  }),
  route({
    method: 'get',
    path: '/contents/:digest',
    summary: 'The values that a policy set names by their digest',
    ...read,
    params: byListDigest,
    data: listContentsView,
    handler: ({ ctx, params }) => getListContents(ctx, params.digest),
  }),
  route({
    method: 'get',
    path: '/:name',
    summary: 'One list with its values',
    ...read,
    params: byListName,
    data: policyListView,
    handler: ({ ctx, params }) => getPolicyList(ctx, params.name),
  }),
  route({
    method: 'put',
    path: '/:name',
    summary: 'Make a list, or replace its values',
    ...manage,
    params: newListName,
    body: policyListInput,
    bodyLimit: LIST_BODY_BYTES,
    data: policyListView,
    codes: ['ALREADY_EXISTS', 'INVALID_OPERATION'],
    audit: { action: 'policy.list.put', resource: 'policy_list' },
    readLastChange: ({ ctx, params }) => readListChange(ctx, params.name),
    async handler({ ctx, params, body }) {
      const list = await putPolicyList(ctx, params.name, body);
      const { name, digest, count } = list;
      return reply(200, list, { audit: { resourceId: name, metadata: { digest, count } } });
    },
  }),
  route({
    method: 'delete',
    path: '/:name',
    summary: 'Remove a list that nothing refers to',
    ...manage,
    params: byListName,
    data: deletedListView,
    codes: ['INVALID_OPERATION'],
    audit: { action: 'policy.list.delete', resource: 'policy_list' },
    async handler({ ctx, params }) {
      const removed = await removePolicyList(ctx, params.name);
      return reply(200, removed, { audit: { resourceId: removed.name } });
    },
  }),
];
