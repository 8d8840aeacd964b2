// Feedback and the index.
import { newDecision } from '../../records.ts';
import { asOwner } from '../../tenant.ts';
import { agentKeys, allAgents, readers, type Access } from '../access.ts';
import { nothing, type ResourceExamples } from '../example.ts';

const workspaceKeys: Access = { ...agentKeys, agentKey: 'FORBIDDEN' };

export const cpi: ResourceExamples = {
  access: {
    'GET /api/v1/cpi': allAgents(readers),
    'GET /api/v1/cpi/analytics': allAgents(readers),
    'GET /api/v1/cpi/compliance-report': allAgents(readers),
    'GET /api/v1/cpi/patterns': allAgents(readers),
    'POST /api/v1/cpi/ingest': workspaceKeys,
  },
  examples: {
    'GET /api/v1/cpi': nothing,
    'GET /api/v1/cpi/analytics': nothing,
    'GET /api/v1/cpi/compliance-report': nothing,
    'GET /api/v1/cpi/patterns': nothing,
    'POST /api/v1/cpi/ingest': async (tenant) => {
      const id = await newDecision(tenant);
      const { traceId } = await asOwner(tenant, `GET /api/v1/traces/${id}`);
      const { mark } = tenant;
      return {
        body: {
          traceId: traceId as string,
          action: 'correct',
          correctedDecision: { tool: `${mark} other` },
          feedbackNotes: `${mark} notes`,
          userEmail: `${mark}@example.com`,
        },
      };
    },
  },
  freeForm: {
    'POST /api/v1/cpi/ingest': ['correctedDecision', 'correctedDecision.tool'],
  },
};
