// Requests of the Agent Control Standard.
import { agentKeys } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

export const acs: ResourceExamples = {
  access: { 'POST /acs': agentKeys },
  examples: {
    'POST /acs': ({ mark }) => ({
      query: { hold: 'ask', approval: `trc_${'0'.repeat(32)}` },
      body: { jsonrpc: '2.0', id: 1, method: 'system/ping', params: { payload: { echo: mark } } },
    }),
  },
  freeForm: {
    'POST /acs': ['params', 'params.payload', 'params.payload.echo', 'jsonrpc', 'method'],
  },
};
