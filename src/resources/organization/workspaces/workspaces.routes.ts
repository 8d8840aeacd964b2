// Workspaces: list, create, rename.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId, id, instant, line } from '../../../http/declaration/views.ts';

const workspaceInput = z.strictObject({ name: line(100) });
const workspaceView = z.object({
  _id: id,
  organizationId: id,
  name: z.string(),
  isDefault: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
});
const manage = { auth: 'user', roles: MANAGERS } as const;

export const workspaceRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List workspaces',
    auth: 'reader',
    agentScope: 'irrelevant',
    data: z.array(workspaceView),
    handler: ({ tenant }, { organization }) => organization.workspaces.list(tenant),
  }),
  route({
    method: 'post',
    path: '/',
    summary: 'Create a workspace',
    ...manage,
    status: 201,
    body: workspaceInput,
    data: workspaceView,
    audit: { action: 'workspace.create', resource: 'workspace' },
    handler: async ({ tenant, body }, { organization }) =>
      reply(201, await organization.workspaces.create(tenant, body)),
  }),
  route({
    method: 'patch',
    path: '/:id',
    summary: 'Rename a workspace',
    ...manage,
    params: byId,
    body: workspaceInput,
    data: workspaceView,
    audit: { action: 'workspace.update', resource: 'workspace' },
    handler: ({ tenant, params, body }, { organization }) =>
      organization.workspaces.rename(tenant, params.id, body),
  }),
];
