// Alert rules.
import { generateHex } from '../../../../src/platform/ids.ts';
import { createAlertBody } from '../../bodies.ts';
import { createAlert } from '../../records.ts';
import type { Tenant } from '../../tenant.ts';
import { managers, denyForeigner, owners, requirePaidPlan, readers } from '../access.ts';
import { type Example, sendNothing, page, type ResourceExamples } from '../example.ts';

/** A rule on the silence of an agent. */
const createRule = ({ mark, workspaceId, agentId }: Tenant) => ({
  ...createAlertBody(`${mark} ${generateHex(8)}`),
  condition: { field: 'agentSilenceMinutes', operator: 'gte', value: 60, agentId },
  workspaceId,
});

const selectAlert: Example = async (tenant) => ({ params: { id: await createAlert(tenant) } });

export const alerts: ResourceExamples = {
  access: {
    'GET /api/v1/alerts': requirePaidPlan(readers),
    'POST /api/v1/alerts': denyForeigner(requirePaidPlan(managers)),
    'PATCH /api/v1/alerts/:id': denyForeigner(requirePaidPlan(managers)),
    'DELETE /api/v1/alerts/:id': denyForeigner(requirePaidPlan(owners)),
    'POST /api/v1/alerts/:id/test': denyForeigner(requirePaidPlan(managers)),
    'POST /api/v1/alerts/check-cpi': requirePaidPlan(managers),
  },
  examples: {
    'GET /api/v1/alerts': () => ({ query: page }),
    'POST /api/v1/alerts': async (tenant) => {
      // There may be a hundred.
      await createAlert(tenant);
      return { body: createRule(tenant) };
    },
    'PATCH /api/v1/alerts/:id': async (tenant) => ({
      params: { id: await createAlert(tenant) },
      body: createRule(tenant),
    }),
    'DELETE /api/v1/alerts/:id': selectAlert,
    'POST /api/v1/alerts/:id/test': selectAlert,
    'POST /api/v1/alerts/check-cpi': sendNothing,
  },
};
