// Whether the process lives, and whether it can serve.
import { everybody } from './access.ts';
import { sendNothing, type ResourceExamples } from './example.ts';

export const health: ResourceExamples = {
  access: {
    'GET /health': everybody,
    'GET /ready': everybody,
  },
  examples: {
    'GET /health': sendNothing,
    'GET /ready': sendNothing,
  },
};
