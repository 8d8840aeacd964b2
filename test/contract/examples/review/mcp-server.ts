// The tool-protocol bridge.
import { requirePaidPlan, readers, readersInPerson } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

const askers = requirePaidPlan(readersInPerson);

export const mcpServer: ResourceExamples = {
  access: {
    'GET /api/v1/mcp-server/manifest': requirePaidPlan(readers),
    'POST /api/v1/mcp-server/resources/read': askers,
    'POST /api/v1/mcp-server/tools/call': askers,
    'POST /api/v1/mcp-server/mcp': askers,
  },
  examples: {
    'GET /api/v1/mcp-server/manifest': sendNothing,
    'POST /api/v1/mcp-server/resources/read': () => ({
      body: { uri: 'service://traces/recent' },
    }),
    'POST /api/v1/mcp-server/tools/call': ({ traceName }) => ({
      body: { name: 'lookup_decision', arguments: { traceId: traceName } },
    }),
    'POST /api/v1/mcp-server/mcp': () => ({
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    }),
  },
  freeForm: {
    'POST /api/v1/mcp-server/tools/call': ['arguments', 'arguments.traceId'],
    'POST /api/v1/mcp-server/mcp': ['id', 'method', 'params'],
  },
};
