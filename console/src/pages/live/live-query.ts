// The decisions of the live page: pages of the API, and in front of them what the stream brings.
import { isToolPrefix, toSnakeCase, toToolPrefix } from '@assay/policy/tool-words';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, readEnvelope } from '../../api/client.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import { readAction, readToolCall } from '../../parts/decision-text.ts';
import { resolveTimes, type TraceFilters } from '../../parts/search/trace-filters.ts';

const PAGE = 100;

/** `filters` null: what is searched is not known yet, or cannot be. */
export const createLiveQuery = (filters: TraceFilters | null) =>
  infiniteQueryOptions({
    enabled: filters !== null,
    queryKey: ['decisions', 'live', filters],
    initialPageParam: 1,
    queryFn: ({ pageParam: page, signal }) =>
      readEnvelope(
        api.GET('/api/v1/traces', {
          params: { query: { ...resolveTimes(filters ?? {}, Date.now()), page, limit: PAGE } },
          signal,
        }),
      ),
    getNextPageParam: ({ pagination }) =>
      pagination && pagination.page < pagination.pages ? pagination.page + 1 : undefined,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** The name that a decision calls a tool by, as the service compares it. */
function isCalling(decision: Decision, wanted: string): boolean {
  const called = readToolCall(readAction(decision))?.tool;
  if (called === undefined) return false;
  const name = toSnakeCase(called);
  return isToolPrefix(wanted)
    ? name.startsWith(toToolPrefix(wanted))
    : name === toSnakeCase(wanted);
}

/** What a page can tell of a decision by itself; the service alone searches by the rest. */
const CHECKS = {
  status: ({ status }, wanted) => status === wanted,
  agentId: ({ agentId, agentName }, wanted) => agentId === wanted || agentName === wanted,
  sessionId: ({ sessionId }, wanted) => sessionId === wanted,
  workspaceId: ({ workspaceId }, wanted) => workspaceId === wanted,
  tool: (decision, wanted) => isCalling(decision, String(wanted)),
  tag: ({ tags }, wanted) => tags.includes(String(wanted)),
  decidedBy: ({ decidedBy }, wanted) => decidedBy === wanted,
  humanOverride: ({ humanOverride }, wanted) => String(humanOverride) === wanted,
  minConfidence: ({ confidenceScore }, least) => confidenceScore >= Number(least),
  maxConfidence: ({ confidenceScore }, most) => confidenceScore <= Number(most),
  dateFrom: () => true,
  // The end of a period is in the past, and what is new has not waited yet.
  dateTo: () => false,
  heldSeconds: () => false,
} satisfies Partial<
  Record<keyof TraceFilters, (decision: Decision, wanted: string | number) => boolean>
>;

const isCheckable = (name: string): name is keyof typeof CHECKS => Object.hasOwn(CHECKS, name);

/** Whether a new decision belongs to the list; null: the service alone can tell. */
export function isListed(decision: Decision, filters: TraceFilters): boolean | null {
  const wanted = Object.entries(filters);
  const isRefuted = wanted.some(
    ([name, value]) => isCheckable(name) && !CHECKS[name](decision, value),
  );
  if (isRefuted) return false;
  return wanted.every(([name]) => isCheckable(name)) || null;
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
