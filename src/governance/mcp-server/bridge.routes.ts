// Routes of the bridge: its own tool protocol, and the Model Context Protocol.
import { z } from 'zod';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  callInput,
  contentsView,
  bridgeManifestView,
  messageInput,
  readInput,
  toolView,
} from './bridge.schemas.ts';
import { BRIDGE_MANIFEST, callTool, readResource } from './bridge.service.ts';
import { answerMessage } from './mcp.service.ts';

const gated = { plan: 'mcpServer' } as const;
/** Reads only, although the method is POST. */
const ask = { method: 'post', auth: 'user', writes: 'none', heavy: true, ...gated } as const;

export const bridgeRoutes = [
  route({
    method: 'get',
    path: '/manifest',
    summary: 'What the bridge offers; the same for every caller',
    auth: 'reader',
    agentScope: 'irrelevant',
    ...gated,
    data: bridgeManifestView,
    handler: () => Promise.resolve(BRIDGE_MANIFEST),
  }),
  route({
    path: '/resources/read',
    summary: 'Read one resource of the manifest',
    ...ask,
    codes: ['MCP_READ_FAILED'],
    body: readInput,
    data: contentsView,
    async handler({ ctx, body: { uri } }) {
      const text = await readResource(ctx, uri);
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    },
  }),
  route({
    path: '/tools/call',
    summary: 'Call one tool of the manifest',
    ...ask,
    codes: ['MCP_TOOL_FAILED'],
    body: callInput,
    data: toolView,
    handler: ({ ctx, body }) => callTool(ctx, body.name, body.arguments ?? {}),
  }),
  route({
    path: '/mcp',
    summary: 'The Model Context Protocol over streamable HTTP: the same resources and tools',
    ...ask,
    kind: 'file',
    mediaType: ['application/json', 'text/event-stream'],
    status: [200, 202],
    body: messageInput,
    data: z.unknown(),
    async handler({ ctx, body, meta: { headers } }) {
      const { status, type, text } = await answerMessage(ctx, { headers, body });
      return reply(status, { type, filename: null, body: text });
    },
  }),
];
