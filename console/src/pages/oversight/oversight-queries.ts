// What the page on people and automation reads; the reads are limited, so they are kept for a minute.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';

const RESTED = { staleTime: 60_000, refetchOnWindowFocus: false } as const;
const MOST_PATTERNS = 200;

export const indexQuery = queryOptions({
  queryKey: ['oversight', 'index'],
  queryFn: () => readData(api.GET('/api/v1/cpi')),
  ...RESTED,
});

export const analyticsQuery = queryOptions({
  queryKey: ['oversight', 'analytics'],
  queryFn: () => readData(api.GET('/api/v1/cpi/analytics')),
  ...RESTED,
});

/** The patterns that were judged last, and how many there are. */
export const patternsQuery = queryOptions({
  queryKey: ['oversight', 'patterns'],
  async queryFn() {
    const query = { limit: MOST_PATTERNS };
    const { data, pagination } = await readEnvelope(
      api.GET('/api/v1/cpi/patterns', { params: { query } }),
    );
    return { patterns: data, total: pagination?.total ?? data.length };
  },
  ...RESTED,
});
