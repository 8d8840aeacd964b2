// The tools that an organisation lists, and what a call of each does.
import { MANAGERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import { resolveToolSet } from './tool-sets.service.ts';
import {
  byToolDigest,
  byToolName,
  deletedToolView,
  toolImport,
  toolImportView,
  toolInput,
  toolQuery,
  TOOLS_BODY_BYTES,
  toolSetView,
  unlistedToolsView,
  listedToolView,
} from './tools.schemas.ts';
import { importTools } from './tool-imports.service.ts';
import { listUnlistedTools } from './unlisted-tools.service.ts';
import { listTools, putTool, removeTool } from './tools.service.ts';

const read = { auth: 'reader', agentScope: 'irrelevant' } as const;
const manage = { auth: 'user', roles: MANAGERS } as const;
const codes = ['INVALID_OPERATION'] as const;

export const toolRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The tools that are listed, by name',
    ...read,
    query: toolQuery,
    page: { limit: 50, max: 200 },
    data: listedToolView,
    handler: ({ ctx, query, page }) => listTools(ctx, query, page),
  }),
  route({
    method: 'get',
    path: '/sets/:digest',
    summary: 'The tools behind a digest that a decision names',
    ...read,
    params: byToolDigest,
    data: toolSetView,
    handler: ({ ctx, params }) => resolveToolSet(ctx, params.digest),
  }),
  route({
    method: 'get',
    path: '/unlisted',
    summary: 'Tools that agents called of late and that are not listed',
    auth: 'reader',
    agentScope: 'filtered',
    data: unlistedToolsView,
    heavy: true,
    handler: ({ ctx }) => listUnlistedTools(ctx),
  }),
  route({
    method: 'post',
    path: '/import',
    summary: 'Propose the tools of a server or a preset, or list what loosens nothing',
    ...manage,
    body: toolImport,
    bodyLimit: TOOLS_BODY_BYTES,
    data: toolImportView,
    codes,
    audit: { action: 'tool.import', resource: 'tool' },
    async handler({ ctx, body }) {
      const imported = await importTools(ctx, body);
      const { applied } = imported;
      return reply(200, imported, { audit: { metadata: { applied } } });
    },
  }),
  route({
    method: 'put',
    path: '/:name',
    summary: 'List a tool, or replace what is listed under its name',
    ...manage,
    params: byToolName,
    body: toolInput,
    bodyLimit: TOOLS_BODY_BYTES,
    data: listedToolView,
    codes,
    audit: { action: 'tool.put', resource: 'tool' },
    async handler({ ctx, params, body }) {
      const tool = await putTool(ctx, params.name, body);
      const { name, workspaceId, entries } = tool;
      const metadata = { workspaceId: String(workspaceId), entries };
      return reply(200, tool, { audit: { resourceId: name, metadata } });
    },
  }),
  route({
    method: 'delete',
    path: '/:name',
    summary: 'Take a tool off the list; it is unlisted again',
    ...manage,
    params: byToolName,
    data: deletedToolView,
    codes,
    audit: { action: 'tool.delete', resource: 'tool' },
    async handler({ ctx, params }) {
      const removed = await removeTool(ctx, params.name);
      return reply(200, removed, { audit: { resourceId: removed.name } });
    },
  }),
];
