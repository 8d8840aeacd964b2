// The decisions of the live page: pages of the API, and in front of them what the stream brings.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, readEnvelope } from '../../api/client.ts';
import type { Decision } from '../../parts/decision-stream.ts';

export interface LiveFilters {
  status?: 'approved' | 'flagged' | 'blocked';
  agent?: string;
  session?: string;
  /** The id of a policy that acted, or of whose limits they spend. */
  policy?: string;
  q?: string;
  from?: string;
  to?: string;
}

const PAGE = 100;

function toQuery({ status, agent, session, policy, q, from, to }: LiveFilters) {
  return {
    ...(status && { status }),
    ...(agent && { agentId: agent }),
    ...(session && { sessionId: session }),
    ...(policy && { policyId: policy }),
    ...(q && { search: q }),
    ...(from && { dateFrom: from }),
    ...(to && { dateTo: to }),
  };
}

export const createLiveQuery = (filters: LiveFilters) =>
  infiniteQueryOptions({
    queryKey: ['decisions', 'live', filters],
    initialPageParam: 1,
    queryFn: ({ pageParam: page, signal }) =>
      readEnvelope(
        api.GET('/api/v1/traces', {
          params: { query: { ...toQuery(filters), page, limit: PAGE } },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) =>
      pagination && pagination.page < pagination.pages ? pagination.page + 1 : undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** Whether a new decision belongs to the list; texts, days and policies are searched by the service alone. */
export function isListed(decision: Decision, filters: LiveFilters): boolean {
  const { status, agent, session, policy, q, to } = filters;
  if (q !== undefined || to !== undefined || policy !== undefined) return false;
  const isOfAgent = agent === undefined || decision.agentId === agent;
  const isOfSession = session === undefined || decision.sessionId === session;
  return isOfAgent && isOfSession && (status === undefined || decision.status === status);
}

/**
 * All decisions that are loaded, each once: those that the stream brought, then the pages, which overlap when decisions
 * arrived between them. A page is newer than what the stream said of the same decision.
 */
export function mergeDecisions(
  arrived: readonly Decision[],
  pages: readonly { data: Decision[] }[],
): Decision[] {
  const known = new Set<string>();
  const takeNew = (some: readonly Decision[]): Decision[] =>
    some.filter(({ traceId }) => !known.has(traceId) && known.add(traceId));
  const listed = takeNew(pages.flatMap(({ data }) => data));
  return [...takeNew(arrived), ...listed];
}
