// Demo requests: anybody may send one.
import { everybody } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

export const demoRequests: ResourceExamples = {
  access: { 'POST /api/v1/demo-requests': everybody },
  examples: {
    'POST /api/v1/demo-requests': ({ mark }) => ({
      body: {
        name: `${mark} name`,
        email: `${mark}@example.com`,
        company: `${mark} company`,
        message: `${mark} message`,
      },
    }),
  },
};
