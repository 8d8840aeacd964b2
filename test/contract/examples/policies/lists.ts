// Named lists that policies refer to.
import { generateHex } from '../../../../src/platform/ids.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { denyForeigner, managers, readers, writers } from '../access.ts';
import { endOthers } from './approvals.ts';
import { type Example, type ResourceExamples, sendNothing } from '../example.ts';

const path = 'PUT /api/v1/policy-lists/:name';

const createList = async (tenant: Tenant): Promise<Record<string, string>> => {
  const body = { values: [`${tenant.mark} value`], description: `${tenant.mark} description` };
  const operation = path.replace(':name', `list-${generateHex(6)}`);
  return (await callAsOwner(tenant, operation, body)) as Record<string, string>;
};
const selectList: Example = async (tenant) => {
  const { name = '' } = await createList(tenant);
  return { params: { name } };
};

export const policyLists: ResourceExamples = {
  access: {
    'GET /api/v1/policy-lists': readers,
    'GET /api/v1/policy-lists/:name': denyForeigner(readers),
    'GET /api/v1/policy-lists/contents/:digest': denyForeigner(readers),
    [path]: denyForeigner(managers),
    'DELETE /api/v1/policy-lists/:name': denyForeigner(managers),
    'POST /api/v1/policy-lists/:name/approvals': denyForeigner(writers),
  },
  examples: {
    'GET /api/v1/policy-lists': sendNothing,
    'GET /api/v1/policy-lists/:name': selectList,
    'GET /api/v1/policy-lists/contents/:digest': async (tenant) => {
      const { digest = '' } = await createList(tenant);
      return { params: { digest } };
    },
    [path]: ({ mark, workspaceId }) => ({
      params: { name: `list-${generateHex(6)}` },
      body: { values: [`${mark} a`, `${mark} b`], description: `${mark} text`, workspaceId },
    }),
    'DELETE /api/v1/policy-lists/:name': selectList,
    'POST /api/v1/policy-lists/:name/approvals': async (tenant) => {
      await endOthers(tenant);
      const { name = '' } = await createList(tenant);
      return { params: { name }, body: { values: [`${tenant.mark} other`] } };
    },
  },
};
