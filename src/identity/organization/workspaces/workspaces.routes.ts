// Routes of workspaces: list, create, change.
import { z } from 'zod';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { reply, route } from '../../../http/declaration/define-route.ts';
import { byId } from '../../../http/declaration/views.ts';
import { workspaceChange, workspaceInput, workspaceView } from './workspaces.schemas.ts';
import {
  listWorkspaces,
  createWorkspace,
  readWorkspaceChange,
  changeWorkspace,
} from './workspaces.service.ts';

const manage = { auth: 'user', roles: MANAGERS } as const;

export const workspaceRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'List workspaces',
    auth: 'reader',
    agentScope: 'irrelevant',
    data: z.array(workspaceView),
    handler: ({ ctx }) => listWorkspaces(ctx),
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
    handler: async ({ ctx, body }) => reply(201, await createWorkspace(ctx, body)),
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
    readLastChange: ({ ctx, params }) => readWorkspaceChange(ctx, params.id),
    handler: ({ ctx, params, body }) => changeWorkspace(ctx, params.id, body),
  }),
];
