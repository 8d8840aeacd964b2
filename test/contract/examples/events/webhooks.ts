// Webhooks and their deliveries.
import { randomHex } from '../../../../src/platform/ids.ts';
import { webhookBody } from '../../bodies.ts';
import { newDelivery, newWebhook } from '../../records.ts';
import { managers, ofOne, paid, readers, readersInPerson } from '../access.ts';
import { type Example, page, type ResourceExamples } from '../example.ts';

const ofWebhook: Example = async (tenant) => ({ params: { id: await newWebhook(tenant) } });

export const webhooks: ResourceExamples = {
  access: {
    'GET /api/v1/webhooks': paid(readers),
    'POST /api/v1/webhooks': ofOne(paid(managers)),
    'PATCH /api/v1/webhooks/:id': ofOne(paid(managers)),
    'DELETE /api/v1/webhooks/:id': ofOne(paid(managers)),
    'POST /api/v1/webhooks/:id/test': ofOne(paid(managers)),
    'GET /api/v1/webhooks/:id/deliveries': ofOne(paid(readersInPerson)),
    'POST /api/v1/webhooks/:id/deliveries/:deliveryId/resend': ofOne(paid(managers)),
  },
  examples: {
    'GET /api/v1/webhooks': () => ({ query: { ...page, search: 'a' } }),
    'POST /api/v1/webhooks': ({ mark, workspaceId }) => ({
      body: { ...webhookBody(mark), workspaceId },
    }),
    'PATCH /api/v1/webhooks/:id': async (tenant) => ({
      params: { id: await newWebhook(tenant) },
      body: webhookBody(`${tenant.mark} ${randomHex(4)}`),
    }),
    'DELETE /api/v1/webhooks/:id': ofWebhook,
    'POST /api/v1/webhooks/:id/test': ofWebhook,
    'GET /api/v1/webhooks/:id/deliveries': async (tenant) => ({
      params: { id: (await newDelivery(tenant)).id },
      query: { ...page, status: 'failed' },
    }),
    'POST /api/v1/webhooks/:id/deliveries/:deliveryId/resend': async (tenant) => ({
      params: await newDelivery(tenant),
    }),
  },
};
