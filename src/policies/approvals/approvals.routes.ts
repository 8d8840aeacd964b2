// Approvals of policies, lists and tools: the queue, proposing, editing, and the six actions (document 2, section 4.2).
import { WRITERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import { byListName, LIST_BODY_BYTES, policyListChange } from '../lists/policy-lists.schemas.ts';
import { TOOLS_BODY_BYTES, toolsChange } from '../tools/tools.schemas.ts';
import {
  policyApprovalActionInput,
  policyApprovalActionParams,
  policyApprovalChange,
  policyApprovalInput,
  policyApprovalQuery,
  policyApprovalView,
} from './approvals.schemas.ts';
import {
  changeApproval,
  getApproval,
  listApprovals,
  moveApproval,
  openApproval,
  openListApproval,
  openToolsApproval,
} from './approvals.service.ts';

const read = { auth: 'reader', agentScope: 'irrelevant', data: policyApprovalView } as const;
/** Every writer may propose; which role may take which action is decided by the state machine. */
const write = { auth: 'user', roles: WRITERS, data: policyApprovalView } as const;
const codes = ['INVALID_OPERATION'] as const;
const toAudit = (action: string) => ({ action, resource: 'policy_approval' });

/** What a change of a list or of tools is about. */
const toAuditedSubject = ({ list, tools }: Awaited<ReturnType<typeof getApproval>>): object => ({
  ...(list && { list: list.name }),
  ...(tools && { tools: tools.map(({ name }) => name) }),
});

/** These routes are mounted before those of a policy by id. */
export const policyApprovalRoutes = [
  route({
    method: 'get',
    path: '/approvals',
    summary: 'The queue of proposed changes of policies, lists and tools, newest first',
    ...read,
    query: policyApprovalQuery,
    page: { limit: 50, max: 100 },
    handler: ({ ctx, query, page }) => listApprovals(ctx, query, page),
  }),
  route({
    method: 'post',
    path: '/approvals',
    summary: 'Propose a new policy, a change of one, or that one be enabled',
    ...write,
    status: 201,
    body: policyApprovalInput,
    codes,
    audit: toAudit('policy.approval.open'),
    async handler({ ctx, body }) {
      const opened = await openApproval(ctx, body);
      const { digest, state } = opened;
      const policyId = opened.policyId?.toHexString() ?? null;
      return reply(201, opened, { audit: { metadata: { policyId, digest, state } } });
    },
  }),
  route({
    method: 'get',
    path: '/approvals/:id',
    summary: 'One proposed change of a policy, a list or tools',
    ...read,
    params: byId,
    handler: ({ ctx, params }) => getApproval(ctx, params.id),
  }),
  route({
    method: 'patch',
    path: '/approvals/:id',
    summary: 'Edit a proposed change, by its author; a review that was given is void',
    ...write,
    params: byId,
    body: policyApprovalChange,
    codes,
    audit: toAudit('policy.approval.update'),
    async handler({ ctx, params, body }) {
      const edited = await changeApproval(ctx, params.id, body);
      const { digest, state } = edited;
      return reply(200, edited, { audit: { metadata: { digest, state } } });
    },
  }),
  route({
    method: 'post',
    path: '/approvals/:id/:action',
    summary: 'Review, enforce or withdraw a proposed change, or break the glass',
    ...write,
    params: policyApprovalActionParams,
    body: policyApprovalActionInput,
    codes,
    audit: toAudit('policy.approval.move'),
    async handler({ ctx, params, body }) {
      const { action } = params;
      const moved = await moveApproval(ctx, params, body);
      const { approval, from, undone } = moved;
      const { state: to, digest, promotedRevision } = approval;
      const policyId = approval.policyId?.toHexString() ?? null;
      const { reason = null } = body;
      const about = toAuditedSubject(approval);
      const metadata = { from, to, policyId, ...about, digest, promotedRevision, undone, reason };
      const entry = { action: `policy.approval.${action}`, metadata };
      return reply(200, approval, { audit: entry });
    },
  }),
];

/** These routes are mounted below a list. */
export const listApprovalRoutes = [
  route({
    method: 'post',
    path: '/:name/approvals',
    summary: 'Propose other values of a list, or that it be removed',
    ...write,
    status: 201,
    params: byListName,
    body: policyListChange,
    bodyLimit: LIST_BODY_BYTES,
    codes,
    audit: toAudit('policy.approval.open'),
    async handler({ ctx, params, body }) {
      const opened = await openListApproval(ctx, params.name, body);
      const { digest, state } = opened;
      const metadata = { list: params.name, digest, state };
      return reply(201, opened, { audit: { metadata } });
    },
  }),
];

/** These routes are mounted beside the tools. */
export const toolApprovalRoutes = [
  route({
    method: 'post',
    path: '/approvals',
    summary: 'Propose other tools of a workspace',
    ...write,
    status: 201,
    body: toolsChange,
    bodyLimit: TOOLS_BODY_BYTES,
    codes,
    audit: toAudit('policy.approval.open'),
    async handler({ ctx, body }) {
      const opened = await openToolsApproval(ctx, body);
      const { digest, state } = opened;
      return reply(201, opened, {
        audit: { metadata: { ...toAuditedSubject(opened), digest, state } },
      });
    },
  }),
];
