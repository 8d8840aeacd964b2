// The application of the guide to MCP clients: a client that is connected to a shop.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { recordCall } from '../setup/tools.ts';
import { done } from './common.ts';

export { load, save } from './common.ts';
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('issue_refund', { inputSchema: z.object({ order: z.string() }) }, (args) => ({
  content: [{ type: 'text', text: recordCall(done, 'issue_refund', args) }],
}));
export const client = new Client({ name: 'agent', version: '1.0.0' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);
