// Provisioning by a directory.
import { generateHex } from '../../../src/platform/ids.ts';
import { createScimUserBody } from '../bodies.ts';
import { createScimUser } from '../records.ts';
import { directories, everybody, fixedRecords, owners, requirePaidPlan } from './access.ts';
import { type Example, sendNothing, type ResourceExamples } from './example.ts';

const selectUser: Example = async (tenant) => ({ params: { id: await createScimUser(tenant) } });
const selection = { attributes: 'userName,name.givenName,active' };
const search = { filter: 'displayName co "a"', startIndex: 1, count: 10 };
const patch = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});

export const scim: ResourceExamples = {
  access: {
    'POST /api/v1/organization/scim-token': requirePaidPlan(owners),
    'GET /scim/v2/ServiceProviderConfig': everybody,
    'GET /scim/v2/ResourceTypes': everybody,
    'GET /scim/v2/ResourceTypes/:id': everybody,
    'GET /scim/v2/Schemas': everybody,
    'GET /scim/v2/Schemas/:id': everybody,
    'POST /scim/v2/.search': directories,
    'GET /scim/v2/Users': directories,
    'POST /scim/v2/Users/.search': directories,
    'GET /scim/v2/Users/:id': directories,
    'POST /scim/v2/Users': directories,
    'PUT /scim/v2/Users/:id': directories,
    'PATCH /scim/v2/Users/:id': directories,
    'DELETE /scim/v2/Users/:id': directories,
    'GET /scim/v2/Groups': directories,
    'POST /scim/v2/Groups/.search': directories,
    'GET /scim/v2/Groups/:id': directories,
    'PATCH /scim/v2/Groups/:id': directories,
    'POST /scim/v2/Groups': fixedRecords,
    'PUT /scim/v2/Groups/:id': fixedRecords,
    'DELETE /scim/v2/Groups/:id': fixedRecords,
  },
  examples: {
    'POST /api/v1/organization/scim-token': sendNothing,
    'GET /scim/v2/ServiceProviderConfig': sendNothing,
    'GET /scim/v2/ResourceTypes': sendNothing,
    'GET /scim/v2/ResourceTypes/:id': () => ({ params: { id: 'User' } }),
    'GET /scim/v2/Schemas': sendNothing,
    'GET /scim/v2/Schemas/:id': () => ({
      params: { id: 'urn:ietf:params:scim:schemas:core:2.0:Group' },
    }),
    'POST /scim/v2/.search': () => ({ body: { ...search, attributes: ['displayName'] } }),
    'GET /scim/v2/Users': () => ({
      query: {
        filter: 'userName sw "a"',
        startIndex: '1',
        count: '10',
        excludedAttributes: 'emails',
      },
    }),
    'POST /scim/v2/Users/.search': () => ({
      body: { ...search, excludedAttributes: ['emails.value'] },
    }),
    'GET /scim/v2/Users/:id': async (tenant) => ({
      params: { id: await createScimUser(tenant) },
      query: selection,
    }),
    'POST /scim/v2/Users': (tenant) => ({
      body: createScimUserBody(tenant.mark),
      query: selection,
    }),
    'PUT /scim/v2/Users/:id': async (tenant) => ({
      ...(await selectUser(tenant, '')),
      body: createScimUserBody(tenant.mark),
      query: selection,
    }),
    'PATCH /scim/v2/Users/:id': async (tenant) => ({
      ...(await selectUser(tenant, '')),
      body: patch(
        { op: 'Replace', path: 'name.familyName', value: `${tenant.mark} name` },
        { op: 'add', path: 'emails[type eq "work"].value', value: `${generateHex(6)}@example.com` },
      ),
      query: selection,
    }),
    'DELETE /scim/v2/Users/:id': selectUser,
    'GET /scim/v2/Groups': () => ({
      query: {
        filter: 'displayName eq "admin"',
        startIndex: '1',
        count: '10',
        excludedAttributes: 'members',
      },
    }),
    'POST /scim/v2/Groups/.search': () => ({ body: search }),
    'GET /scim/v2/Groups/:id': () => ({
      params: { id: 'member' },
      query: { excludedAttributes: 'members' },
    }),
    'PATCH /scim/v2/Groups/:id': async (tenant) => ({
      params: { id: 'reviewer' },
      body: patch({ op: 'Add', path: 'members', value: [{ value: await createScimUser(tenant) }] }),
    }),
    'POST /scim/v2/Groups': sendNothing,
    'PUT /scim/v2/Groups/:id': () => ({ params: { id: 'member' } }),
    'DELETE /scim/v2/Groups/:id': () => ({ params: { id: 'member' } }),
  },
  refused: {
    'POST /scim/v2/Groups': 405,
    'PUT /scim/v2/Groups/:id': 405,
    'DELETE /scim/v2/Groups/:id': 405,
  },
};
