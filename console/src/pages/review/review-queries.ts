// The review queue as the service orders it: what waits by what is due, what was decided by what is new.
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type ReviewItem = components['schemas']['ListedReviewItem'];
export type ReviewStatus = ReviewItem['status'];

export interface ReviewFilters {
  status?: ReviewStatus | undefined;
  mine?: '1' | undefined;
  /** Of what was approved: only what no agent has claimed. */
  unclaimed?: '1' | undefined;
}

const PAGE = 100;

export const createReviewQuery = ({ status = 'pending', mine, unclaimed }: ReviewFilters) => {
  const isUnclaimed = status === 'approved' && unclaimed === '1';
  return infiniteQueryOptions({
    queryKey: ['review', 'list', status, mine === '1', isUnclaimed],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = {
        status,
        limit: PAGE,
        ...(status === 'pending' && { sort: 'due' as const }),
        ...(mine === '1' && { assignedTo: 'me' }),
        ...(isUnclaimed && { claimed: 'false' }),
        ...(pageParam !== '' && { cursor: Number(pageParam) }),
      };
      return readEnvelope(api.GET('/api/v1/review-queue', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
};

/** One item, by its id or its decision's. */
export const createReviewItemQuery = (id: string) =>
  queryOptions({
    queryKey: ['review', 'one', id],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/review-queue/{id}', { params: { path: { id } }, signal })),
  });

interface ReviewPage {
  data: ReviewItem[];
  total: number;
}
type ReviewPages = InfiniteData<ReviewPage>;

/**
 * Takes items that are decided out of the lists of what waits: they need not be read again for it. Returns whether a list
 * had all of them, so that its total is right.
 */
export function markDecided(queries: QueryClient, ids: readonly string[]): boolean {
  const waiting = { queryKey: ['review', 'list', 'pending'] };
  const counts = queries
    .getQueriesData<ReviewPages>(waiting)
    .map(([, known]) => countIn(known, ids));
  queries.setQueriesData<ReviewPages>(waiting, (known) => known && takeOut(known, ids));
  return counts.includes(ids.length);
}

const countIn = (known: ReviewPages | undefined, ids: readonly string[]): number =>
  known?.pages.flatMap(({ data }) => data.filter(({ _id }) => ids.includes(_id))).length ?? 0;

/** Each page says how many wait on all of them. */
function takeOut(known: ReviewPages, ids: readonly string[]): ReviewPages {
  const count = countIn(known, ids);
  const pages = known.pages.map((page) => ({
    ...page,
    data: page.data.filter(({ _id }) => !ids.includes(_id)),
    total: page.total - count,
  }));
  return { ...known, pages };
}

/** The action of an item: the API gives canonical JSON where it is no text. */
export function parseAction({ action }: ReviewItem): unknown {
  if (action === null || !/^[[{]/.test(action)) return action;
  try {
    return JSON.parse(action) as unknown;
  } catch {
    return action;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of what an item holds as JSON; null: none. */
export const readMember = (value: unknown, name: string): unknown =>
  isObject(value) ? (value[name] ?? null) : null;
