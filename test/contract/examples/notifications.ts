// The caller's notifications, and broadcasts.
import { newNotification } from '../records.ts';
import { managers, ofOne, signedIn } from './access.ts';
import { type Example, nothing, type ResourceExamples } from './example.ts';

const ofNotification: Example = async (tenant, token) => ({
  params: { id: await newNotification(tenant, token) },
});

export const notifications: ResourceExamples = {
  access: {
    'GET /api/v1/notifications': signedIn,
    'PATCH /api/v1/notifications/read-all': signedIn,
    'PATCH /api/v1/notifications/:id/read': ofOne(signedIn),
    'DELETE /api/v1/notifications': signedIn,
    'DELETE /api/v1/notifications/:id': ofOne(signedIn),
    'POST /api/v1/notifications/broadcast': managers,
  },
  examples: {
    'GET /api/v1/notifications': () => ({ query: { unreadOnly: 'true', page: '1', limit: '5' } }),
    'PATCH /api/v1/notifications/read-all': nothing,
    'PATCH /api/v1/notifications/:id/read': ofNotification,
    'DELETE /api/v1/notifications': nothing,
    'DELETE /api/v1/notifications/:id': ofNotification,
    'POST /api/v1/notifications/broadcast': ({ mark }) => ({
      body: { title: `${mark} title`, body: `${mark} body`, sendEmail: true },
    }),
  },
};
