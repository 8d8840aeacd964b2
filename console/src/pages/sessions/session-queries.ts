// What the API holds about sessions of agents: the list, one of them, and its steps page by page to both sides.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type AgentSession = components['schemas']['AgentSession'];
export type SessionDetail = components['schemas']['AgentSessionDetail'];
export type Step = components['schemas']['AgentSessionStep'];
type Steps = components['schemas']['AgentSessionSteps'];
export type Replayed = components['schemas']['SessionReplay']['decisions'][number];

export interface SessionFilters {
  agent?: string;
  session?: string;
  label?: string;
  status?: 'held' | 'blocked' | 'halted';
  from?: string;
  to?: string;
}

const PAGE = 50;

export const createSessionsQuery = (filters: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', filters],
    initialPageParam: 1,
    queryFn({ pageParam, signal }) {
      const { agent, session, label, status, from, to } = filters;
      const query = {
        page: pageParam,
        limit: PAGE,
        ...(agent !== undefined && { agentId: agent }),
        ...(session !== undefined && { sessionId: session }),
        ...(label !== undefined && { label }),
        ...(status !== undefined && { status }),
        ...(from !== undefined && { dateFrom: from }),
        ...(to !== undefined && { dateTo: to }),
      };
      return readEnvelope(api.GET('/api/v1/sessions', { params: { query }, signal }));
    },
    getNextPageParam: ({ pagination }) =>
      pagination.page < pagination.pages ? pagination.page + 1 : undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({
      sessions: pages.flatMap(({ data }) => data),
      since: pages[0]?.since ?? null,
    }),
  });

export const createSessionQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['sessions', 'one', traceId],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/sessions/{id}', { params: { path: { id: traceId } }, signal })),
  });

/** Steps that are shown; earlier ones are asked for by a button. */
export const LOADED_MAX = 10_000;

type Place = { before: number } | { after: number } | object;

/** The newest steps first; earlier pages follow, and what comes later is put before them. */
export const createStepsQuery = (traceId: string) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'steps', traceId],
    initialPageParam: {} as Place,
    queryFn({ pageParam, signal }) {
      const params = { path: { id: traceId }, query: { limit: 500, ...pageParam } };
      return readData(api.GET('/api/v1/sessions/{id}/steps', { params, signal }));
    },
    getNextPageParam: ({ before }) => (before === null ? undefined : { before }),
    getPreviousPageParam: ({ after }) => ({ after }),
    // All pages would be read again; what is new comes after the last.
    staleTime: Infinity,
    select: ({ pages }) => joinSteps(pages),
  });

const joinSteps = (pages: readonly Steps[]): Step[] =>
  pages.toReversed().flatMap(({ steps }) => steps);

/** What the policies of today say, by the decision. */
export const createReplayQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['sessions', 'replay', traceId],
    async queryFn({ signal }) {
      const params = { path: { id: traceId } };
      const replay = api.POST('/api/v1/sessions/{id}/replay', { params, body: {}, signal });
      const { decisions } = await readData(replay);
      return new Map(decisions.map((one) => [one.traceId, one]));
    },
    staleTime: Infinity,
  });
