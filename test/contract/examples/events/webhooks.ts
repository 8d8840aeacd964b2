// Webhooks and their deliveries.
import { generateHex } from '../../../../src/platform/ids.ts';
import { createWebhookBody } from '../../bodies.ts';
import { createDelivery, createWebhook } from '../../records.ts';
import { managers, denyForeigner, requirePaidPlan, readers, readersInPerson } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const selectWebhook: Example = async (tenant) => ({ params: { id: await createWebhook(tenant) } });

export const webhooks: ResourceExamples = {
  access: {
    'GET /api/v1/webhooks': requirePaidPlan(readers),
    'POST /api/v1/webhooks': denyForeigner(requirePaidPlan(managers)),
    'PATCH /api/v1/webhooks/:id': denyForeigner(requirePaidPlan(managers)),
    'DELETE /api/v1/webhooks/:id': denyForeigner(requirePaidPlan(managers)),
    'POST /api/v1/webhooks/:id/test': denyForeigner(requirePaidPlan(managers)),
    'GET /api/v1/webhooks/:id/deliveries': denyForeigner(requirePaidPlan(readersInPerson)),
    'POST /api/v1/webhooks/:id/deliveries/:deliveryId/resend': denyForeigner(
      requirePaidPlan(managers),
    ),
  },
  examples: {
    'GET /api/v1/webhooks': () => ({ query: { ...page, search: 'a' } }),
    'POST /api/v1/webhooks': ({ mark, workspaceId }) => ({
      body: { ...createWebhookBody(mark), workspaceId },
    }),
    'PATCH /api/v1/webhooks/:id': async (tenant) => ({
      params: { id: await createWebhook(tenant) },
      body: createWebhookBody(`${tenant.mark} ${generateHex(4)}`),
    }),
    'DELETE /api/v1/webhooks/:id': selectWebhook,
    'POST /api/v1/webhooks/:id/test': selectWebhook,
    'GET /api/v1/webhooks/:id/deliveries': async (tenant) => ({
      params: { id: (await createDelivery(tenant)).id },
      query: { ...page, status: 'failed' },
    }),
    'POST /api/v1/webhooks/:id/deliveries/:deliveryId/resend': async (tenant) => ({
      params: await createDelivery(tenant),
    }),
  },
};
