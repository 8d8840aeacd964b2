// What happened in a span of time.
import { readers } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

const askSpan = () => ({ query: { dateFrom: '2026-01-01', dateTo: '2026-01-07' } });

export const overview: ResourceExamples = {
  access: {
    'GET /api/v1/overview': { ...readers, scopedKey: 'FORBIDDEN' },
    'GET /api/v1/overview/flow': { ...readers, scopedKey: 'FORBIDDEN' },
  },
  examples: {
    'GET /api/v1/overview': askSpan,
    'GET /api/v1/overview/flow': askSpan,
  },
};
