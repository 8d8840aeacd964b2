// The caller's notifications, and broadcasts.
import { createNotification } from '../records.ts';
import { managers, denyForeigner, signedIn } from './access.ts';
import { type Example, sendNothing, type ResourceExamples } from './example.ts';

const selectNotification: Example = async (tenant, token) => ({
  params: { id: await createNotification(tenant, token) },
});

export const notifications: ResourceExamples = {
  access: {
    'GET /api/v1/notifications': signedIn,
    'PATCH /api/v1/notifications/read-all': signedIn,
    'PATCH /api/v1/notifications/:id/read': denyForeigner(signedIn),
    'DELETE /api/v1/notifications': signedIn,
    'DELETE /api/v1/notifications/:id': denyForeigner(signedIn),
    'POST /api/v1/notifications/broadcast': managers,
  },
  examples: {
    'GET /api/v1/notifications': () => ({ query: { unreadOnly: 'true', page: '1', limit: '5' } }),
    'PATCH /api/v1/notifications/read-all': sendNothing,
    'PATCH /api/v1/notifications/:id/read': selectNotification,
    'DELETE /api/v1/notifications': sendNothing,
    'DELETE /api/v1/notifications/:id': selectNotification,
    'POST /api/v1/notifications/broadcast': ({ mark }) => ({
      body: { title: `${mark} title`, body: `${mark} body`, sendEmail: true },
    }),
  },
};
