// Proposed changes of policies.
import { generateId } from '../../../../src/platform/ids.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { createPolicyBody } from '../../bodies.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { denyForeigner, readers, writers } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

/** Withdraws open proposals, of which there may be two hundred. */
export async function endOthers({ harness, owner }: Tenant): Promise<void> {
  const organizationId = toObjectId(owner.organizationId);
  const withdrawn = { $set: { state: 'withdrawn' } };
  await harness.db.collection('policy_approvals').updateMany({ organizationId }, withdrawn);
}

/** Creates a proposal of `author`, who may not review it. */
async function createApproval(tenant: Tenant, author: string): Promise<string> {
  await endOthers(tenant);
  const body = { policy: createPolicyBody(tenant.mark), submit: true };
  const { _id } = await callAsOwner(tenant, 'POST /api/v1/policies/approvals', body);
  const approvals = tenant.harness.db.collection('policy_approvals');
  await approvals.updateOne(
    { _id: toObjectId(_id as string) },
    { $set: { author: toObjectId(author) } },
  );
  return _id as string;
}

/** Reads the user id of a session. */
function readUserId(token: string, { owner }: Tenant): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}';
  return (JSON.parse(claims) as { sub?: string }).sub ?? owner.userId;
}

const free = [
  'policy.conditions.0.value',
  'policy.actions.0.config',
  'policy.actions.0.config.reason',
];

export const policyApprovals: ResourceExamples = {
  access: {
    'GET /api/v1/policies/approvals': readers,
    'POST /api/v1/policies/approvals': denyForeigner(writers),
    'GET /api/v1/policies/approvals/:id': denyForeigner(readers),
    'PATCH /api/v1/policies/approvals/:id': denyForeigner(writers),
    'POST /api/v1/policies/approvals/:id/:action': denyForeigner({
      ...writers,
      member: 'FORBIDDEN',
    }),
  },
  examples: {
    'GET /api/v1/policies/approvals': () => ({ query: { ...page, state: 'pending_review' } }),
    'POST /api/v1/policies/approvals': async (tenant) => {
      await endOthers(tenant);
      return {
        body: {
          policyId: tenant.policyId,
          policy: { ...createPolicyBody(tenant.mark), priority: 77 },
          submit: true,
        },
      };
    },
    'GET /api/v1/policies/approvals/:id': async (tenant) => ({
      params: { id: await createApproval(tenant, tenant.owner.userId) },
    }),
    'PATCH /api/v1/policies/approvals/:id': async (tenant, token) => ({
      params: { id: await createApproval(tenant, readUserId(token, tenant)) },
      body: { policy: createPolicyBody(tenant.mark), submit: true },
    }),
    'POST /api/v1/policies/approvals/:id/:action': async (tenant) => {
      const id = await createApproval(tenant, generateId());
      const found = await callAsOwner(tenant, `GET /api/v1/policies/approvals/${id}`);
      return {
        params: { id, action: 'reviewer-approve' },
        body: { reason: `${tenant.mark} reason`, digest: found.digest as string },
      };
    },
  },
  freeForm: {
    'POST /api/v1/policies/approvals': free,
    'PATCH /api/v1/policies/approvals/:id': free,
  },
};
