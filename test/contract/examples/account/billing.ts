// What an organisation uses and pays.
import { readers } from '../access.ts';
import { nothing, type ResourceExamples } from '../example.ts';

export const billing: ResourceExamples = {
  access: {
    'GET /api/v1/usage/current': readers,
    'GET /api/v1/usage/history': readers,
  },
  examples: {
    'GET /api/v1/usage/current': nothing,
    'GET /api/v1/usage/history': nothing,
  },
};
