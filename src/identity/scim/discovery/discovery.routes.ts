// SCIM discovery, without credentials and on every plan, and the search over all resources (document 1, section 4.5).
import { z } from 'zod';
import { route } from '../../../http/declaration/define-route.ts';
import { groupView } from '../groups/groups.schemas.ts';
import { listView, searchInput } from '../scim.schemas.ts';
import { scimUserView } from '../users/users.schemas.ts';
import {
  providerView,
  resourceTypesView,
  resourceTypeView,
  schemaParams,
  schemasView,
  schemaView,
  typeParams,
} from './discovery.schemas.ts';
import { searchAll } from '../searches.service.ts';
import {
  describeScimProvider,
  listResourceTypes,
  listResourceSchemas,
  findResourceType,
  findResourceSchema,
} from './discovery.service.ts';

const open = { method: 'get', auth: 'public', kind: 'scim' } as const;

export const scimDiscoveryRoutes = [
  route({
    ...open,
    path: '/ServiceProviderConfig',
    summary: 'What the SCIM interface can do',
    data: providerView,
    handler: async ({ ctx }) => describeScimProvider(ctx.platform),
  }),
  route({
    ...open,
    path: '/ResourceTypes',
    summary: 'Kinds of SCIM resources',
    data: resourceTypesView,
    handler: async ({ ctx }) => listResourceTypes(ctx.platform),
  }),
  route({
    ...open,
    path: '/ResourceTypes/:id',
    summary: 'One kind of SCIM resource',
    params: typeParams,
    data: resourceTypeView,
    handler: async ({ ctx, params }) => findResourceType(ctx.platform, params.id),
  }),
  route({
    ...open,
    path: '/Schemas',
    summary: 'Attributes of SCIM resources',
    data: schemasView,
    handler: async ({ ctx }) => listResourceSchemas(ctx.platform),
  }),
  route({
    ...open,
    path: '/Schemas/:id',
    summary: 'Attributes of one kind of SCIM resource',
    params: schemaParams,
    data: schemaView,
    handler: async ({ ctx, params }) => findResourceSchema(ctx.platform, params.id),
  }),
  route({
    method: 'post',
    path: '/.search',
    summary: 'Search users and groups',
    auth: 'scim',
    plan: 'scim',
    kind: 'scim',
    invalidCode: 'SCIM_INVALID_VALUE',
    writes: 'none',
    codes: ['SCIM_INVALID_FILTER'],
    body: searchInput,
    data: listView(z.union([scimUserView, groupView])),
    handler: ({ ctx, body }) => searchAll(ctx, body),
  }),
];
