// Feedback and the index.
import { createDecision } from '../../records.ts';
import { callAsOwner } from '../../tenant.ts';
import { agentKeys, refuseScopedKey, readers, type Access } from '../access.ts';
import { sendNothing, type ResourceExamples } from '../example.ts';

const workspaceKeys: Access = { ...agentKeys, agentKey: 'FORBIDDEN' };

export const cpi: ResourceExamples = {
  access: {
    'GET /api/v1/cpi': refuseScopedKey(readers),
    'GET /api/v1/cpi/analytics': refuseScopedKey(readers),
    'GET /api/v1/cpi/compliance-report': refuseScopedKey(readers),
    'GET /api/v1/cpi/patterns': refuseScopedKey(readers),
    'POST /api/v1/cpi/ingest': workspaceKeys,
  },
  examples: {
    'GET /api/v1/cpi': sendNothing,
    'GET /api/v1/cpi/analytics': sendNothing,
    'GET /api/v1/cpi/compliance-report': sendNothing,
    'GET /api/v1/cpi/patterns': sendNothing,
    'POST /api/v1/cpi/ingest': async (tenant) => {
      const id = await createDecision(tenant);
      const { traceId } = await callAsOwner(tenant, `GET /api/v1/traces/${id}`);
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
