// A shop as an MCP server of its own, which writes down what it did: Claude Code starts it again for each run.
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { SCHEMAS } from '../setup/tools.ts';

const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('issue_refund', { inputSchema: SCHEMAS.issue_refund }, (args) => {
  appendFileSync(process.env.SHOP_LOG ?? '', `${JSON.stringify(args)}\n`);
  return { content: [{ type: 'text', text: 'done: issue_refund' }] };
});
await server.connect(new StdioServerTransport());
