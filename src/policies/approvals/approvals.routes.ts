// Policy approvals: the queue, proposing, editing, and the six actions (document 2, section 4.2).
import { WRITERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { byId } from '../../http/declaration/views.ts';
import {
  policyApprovalActionInput,
  policyApprovalActionParams,
  policyApprovalChange,
  policyApprovalInput,
  policyApprovalQuery,
  policyApprovalView,
} from './approvals.schemas.ts';

const read = { auth: 'reader', agentScope: 'irrelevant', data: policyApprovalView } as const;
/** Every writer may propose; which role may take which action is decided by the state machine. */
const write = { auth: 'user', roles: WRITERS, data: policyApprovalView } as const;
const codes = ['INVALID_OPERATION'] as const;
const toAudit = (action: string) => ({ action, resource: 'policy_approval' });

/** These routes are mounted before those of a policy by id. */
export const policyApprovalRoutes = [
  route({
    method: 'get',
    path: '/approvals',
    summary: 'The queue of proposed changes of policies, newest first',
    ...read,
    query: policyApprovalQuery,
    page: { limit: 50, max: 100 },
    handler: ({ tenant, query, page }, { policies }) =>
      policies.approvals.listApprovals(tenant, query, page),
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
    async handler({ tenant, user, body }, { policies }) {
      const opened = await policies.approvals.openApproval({ tenant, user }, body);
      const { digest, state } = opened;
      const policyId = opened.policyId?.toHexString() ?? null;
      return reply(201, opened, { audit: { metadata: { policyId, digest, state } } });
    },
  }),
  route({
    method: 'get',
    path: '/approvals/:id',
    summary: 'One proposed change of a policy',
    ...read,
    params: byId,
    handler: ({ tenant, params }, { policies }) =>
      policies.approvals.getApproval(tenant, params.id),
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
    async handler({ tenant, user, params, body }, { policies }) {
      const edited = await policies.approvals.changeApproval({ tenant, user }, params.id, body);
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
    async handler({ tenant, user, params, body }, { policies }) {
      const { action } = params;
      const moved = await policies.approvals.moveApproval({ tenant, user }, params, body);
      const { approval, from, undone } = moved;
      const { state: to, digest, promotedRevision } = approval;
      const policyId = approval.policyId?.toHexString() ?? null;
      const { reason = null } = body;
      const metadata = { from, to, policyId, digest, promotedRevision, undone, reason };
      const entry = { action: `policy.approval.${action}`, metadata };
      return reply(200, approval, { audit: entry });
    },
  }),
];
