// Answers one Model Context Protocol request over streamable HTTP with the official SDK: stateless and read-only.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';

export interface McpTool {
  name: string;
  description: string;
  arguments: z.ZodObject;
  call: (given: unknown) => Promise<McpToolAnswer>;
}

interface McpToolAnswer {
  content: { type: 'text'; text: string }[];
  isError: boolean;
}

export interface McpResource {
  uri: string;
  name: string;
  description: string;
  read: () => Promise<string>;
}

/** Resources and tools for one caller. */
export interface McpOffer {
  name: string;
  version: string;
  resources: readonly McpResource[];
  tools: readonly McpTool[];
}

export interface McpMessage {
  /** Headers of the request; only those of the protocol are read. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

export interface McpAnswer {
  /** 202: no response body. Protocol errors are part of the body. */
  status: 200 | 202;
  type: string;
  text: string;
}

const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
/** Placeholder URL that the SDK requires; it is never called. */
const ADDRESS = 'http://localhost/mcp';

export async function answerMcp(offer: McpOffer, message: McpMessage): Promise<McpAnswer> {
  const handler = createMcpHandler(() => createMcpServer(offer), {
    maxSubscriptions: 0,
    keepAliveMs: 0,
  });
  try {
    const request = new Request(ADDRESS, {
      method: 'POST',
      headers: toRequestHeaders(message),
      body: JSON.stringify(message.body),
    });
    const response = await handler.fetch(request, { parsedBody: message.body });
    const text = await response.text();
    const type = response.headers.get('content-type') ?? 'text/plain';
    return { status: text === '' ? 202 : 200, type, text };
  } finally {
    await handler.close();
  }
}

function createMcpServer({ name, version, resources, tools }: McpOffer): McpServer {
  const server = new McpServer({ name, version });
  for (const { uri, name: title, description, read } of resources) {
    const config = { description, mimeType: 'application/json' };
    server.registerResource(title, uri, config, async () => ({
      contents: [{ uri, mimeType: 'application/json', text: await read() }],
    }));
  }
  for (const { name: tool, description, arguments: inputSchema, call } of tools) {
    const config = { description, inputSchema, annotations: READ_ONLY };
    server.registerTool(tool, config, async (given: unknown) => {
      const { content, isError } = await call(given);
      return { content, isError };
    });
  }
  return server;
}

/** Overwrites `accept`, so that clients which accept anything are served too. */
function toRequestHeaders({ headers }: McpMessage): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith('mcp-') && typeof value === 'string') sent[name] = value;
  sent['content-type'] = 'application/json';
  sent['accept'] = 'application/json, text/event-stream';
  return sent;
}
