// Alert rules.
import { randomHex } from '../../../../src/platform/ids.ts';
import { alertBody } from '../../bodies.ts';
import { newAlert } from '../../records.ts';
import { managers, ofOne, owners, paid, readers } from '../access.ts';
import { type Example, nothing, page, type ResourceExamples } from '../example.ts';

const ofAlert: Example = async (tenant) => ({ params: { id: await newAlert(tenant) } });

export const alerts: ResourceExamples = {
  access: {
    'GET /api/v1/alerts': paid(readers),
    'POST /api/v1/alerts': ofOne(paid(managers)),
    'PATCH /api/v1/alerts/:id': ofOne(paid(managers)),
    'DELETE /api/v1/alerts/:id': ofOne(paid(owners)),
    'POST /api/v1/alerts/:id/test': ofOne(paid(managers)),
    'POST /api/v1/alerts/check-cpi': paid(managers),
  },
  examples: {
    'GET /api/v1/alerts': () => ({ query: page }),
    'POST /api/v1/alerts': async (tenant) => {
      // There may be a hundred.
      await newAlert(tenant);
      return {
        body: { ...alertBody(`${tenant.mark} ${randomHex(8)}`), workspaceId: tenant.workspaceId },
      };
    },
    'PATCH /api/v1/alerts/:id': async (tenant) => ({
      params: { id: await newAlert(tenant) },
      body: { ...alertBody(`${tenant.mark} ${randomHex(8)}`), workspaceId: tenant.workspaceId },
    }),
    'DELETE /api/v1/alerts/:id': ofAlert,
    'POST /api/v1/alerts/:id/test': ofAlert,
    'POST /api/v1/alerts/check-cpi': nothing,
  },
};
