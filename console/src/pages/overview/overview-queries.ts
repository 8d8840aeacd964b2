// What the overview reads: figures, and the flow of decisions.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { findPeriodProblem, type PeriodSearch, toSpanQuery } from './period.ts';

export type OverviewData = components['schemas']['Overview'];
export type FlowData = components['schemas']['OverviewFlow'];

/** Reading is work for the service: a page that is opened again soon shows what was read. */
const RESTED = { staleTime: 60_000, refetchOnWindowFocus: false } as const;

/** What both queries of a period have in common. */
const toOptions = (part: string, search: PeriodSearch) => ({
  queryKey: ['overview', part, search],
  enabled: findPeriodProblem(search, Date.now()) === null,
  ...RESTED,
});

const toRequest = (search: PeriodSearch, signal: AbortSignal) => ({
  params: { query: toSpanQuery(search, Date.now()) },
  signal,
});

export const createOverviewQuery = (search: PeriodSearch) =>
  queryOptions({
    ...toOptions('figures', search),
    queryFn: ({ signal }) => readData(api.GET('/api/v1/overview', toRequest(search, signal))),
  });

export const createFlowQuery = (search: PeriodSearch) =>
  queryOptions({
    ...toOptions('flow', search),
    queryFn: ({ signal }) => readData(api.GET('/api/v1/overview/flow', toRequest(search, signal))),
  });
