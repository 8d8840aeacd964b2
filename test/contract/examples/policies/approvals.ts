// Proposed changes of policies.
import { newId } from '../../../../src/platform/ids.ts';
import { objectId } from '../../../setup/harness.ts';
import { policyBody } from '../../bodies.ts';
import { asOwner, type Tenant } from '../../tenant.ts';
import { ofOne, readers, writers } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

/** Withdraws open proposals, of which there may be two hundred. */
async function endOthers({ harness, owner }: Tenant): Promise<void> {
  const organizationId = objectId(owner.organizationId);
  const withdrawn = { $set: { state: 'withdrawn' } };
  await harness.db.collection('policy_approvals').updateMany({ organizationId }, withdrawn);
}

/** Creates a proposal of `author`, who may not review it. */
async function newApproval(tenant: Tenant, author: string): Promise<string> {
  await endOthers(tenant);
  const body = { policy: policyBody(tenant.mark), submit: true };
  const { _id } = await asOwner(tenant, 'POST /api/v1/policies/approvals', body);
  const approvals = tenant.harness.db.collection('policy_approvals');
  await approvals.updateOne(
    { _id: objectId(_id as string) },
    { $set: { author: objectId(author) } },
  );
  return _id as string;
}

/** Reads the user id of a session. */
function userOf(token: string, { owner }: Tenant): string {
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
    'POST /api/v1/policies/approvals': ofOne(writers),
    'GET /api/v1/policies/approvals/:id': ofOne(readers),
    'PATCH /api/v1/policies/approvals/:id': ofOne(writers),
    'POST /api/v1/policies/approvals/:id/:action': ofOne({ ...writers, member: 'FORBIDDEN' }),
  },
  examples: {
    'GET /api/v1/policies/approvals': () => ({ query: { ...page, state: 'pending_review' } }),
    'POST /api/v1/policies/approvals': async (tenant) => {
      await endOthers(tenant);
      return {
        body: {
          policyId: tenant.policyId,
          policy: { ...policyBody(tenant.mark), priority: 77 },
          submit: true,
        },
      };
    },
    'GET /api/v1/policies/approvals/:id': async (tenant) => ({
      params: { id: await newApproval(tenant, tenant.owner.userId) },
    }),
    'PATCH /api/v1/policies/approvals/:id': async (tenant, token) => ({
      params: { id: await newApproval(tenant, userOf(token, tenant)) },
      body: { policy: policyBody(tenant.mark), submit: true },
    }),
    'POST /api/v1/policies/approvals/:id/:action': async (tenant) => {
      const id = await newApproval(tenant, newId());
      const found = await asOwner(tenant, `GET /api/v1/policies/approvals/${id}`);
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
