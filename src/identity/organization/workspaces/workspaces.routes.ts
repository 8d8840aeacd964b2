// Routes of workspaces: list, create, change.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { workspaceChange, workspaceInput, workspaceView } from './workspaces.schemas.ts';

const manage = { auth: 'user', roles: MANAGERS } as const;

export const workspaceRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List workspaces',
    auth: 'reader',
    agentScope: 'irrelevant',
    data: z.array(workspaceView),
    handler: ({ tenant }, { organization }) => organization.workspaces.listWorkspaces(tenant),
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
    summary: 'Rename a workspace, or change how its reviews are handled',
    ...manage,
    params: byId,
    body: workspaceChange,
    data: workspaceView,
    audit: { action: 'workspace.update', resource: 'workspace' },
    handler: ({ tenant, user, params, body }, { organization }) =>
      organization.workspaces.change({ tenant, user }, params.id, body),
  }),
];
