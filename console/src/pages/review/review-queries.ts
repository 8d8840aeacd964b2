// The review queue as the service orders it: what waits by what is due, what was decided by what is new.
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { isObject } from '../../parts/decision-text.ts';

type StoredItem = components['schemas']['ListedReviewItem'];

export interface ReviewItem extends StoredItem {
  /** It was read so soon after its post that an agent that waits may not have asked yet. */
  isFresh?: boolean;
}

const ASKS_WITHIN_MS = 60_000;
const noteAge = (item: StoredItem): ReviewItem => ({
  ...item,
  isFresh: Date.now() - Date.parse(item.createdAt) < ASKS_WITHIN_MS,
});
export type ReviewStatus = ReviewItem['status'];

export interface ReviewFilters {
  status?: ReviewStatus | undefined;
  mine?: '1' | undefined;
  /** Of what was approved: only what no agent has claimed. */
  unclaimed?: '1' | undefined;
  /** Of what waits: only what no caller waits for any more. */
  left?: '1' | undefined;
  /** Only those that were stopped alike. */
  group?: string | undefined;
}

const PAGE = 100;

export const createReviewQuery = ({
  status = 'pending',
  mine,
  unclaimed,
  left,
  group,
}: ReviewFilters) => {
  const isUnclaimed = status === 'approved' && unclaimed === '1';
  const isLeft = status === 'pending' && left === '1';
  return infiniteQueryOptions({
    queryKey: ['review', 'list', status, mine === '1', isUnclaimed, isLeft, group],
    initialPageParam: '',
    async queryFn({ pageParam, signal }) {
      const query = {
        status,
        limit: PAGE,
        ...(status === 'pending' && { sort: 'due' as const }),
        ...(mine === '1' && { assignedTo: 'me' }),
        ...(isUnclaimed && { claimed: 'false' }),
        ...(isLeft && { callerWaits: 'false' }),
        ...(group !== undefined && { group }),
        ...(pageParam !== '' && { cursor: Number(pageParam) }),
      };
      const asked = api.GET('/api/v1/review-queue', { params: { query }, signal });
      const page = await readEnvelope(asked);
      return { ...page, data: page.data.map(noteAge) };
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
};

/** One item, by its id or its decision's. @throws ApiError */
export async function readReviewItem(id: string, signal?: AbortSignal): Promise<ReviewItem> {
  const params = { path: { id } };
  return noteAge(await readData(api.GET('/api/v1/review-queue/{id}', { params, signal })));
}

export const createReviewItemQuery = (id: string) =>
  queryOptions({
    queryKey: ['review', 'one', id],
    queryFn: ({ signal }) => readReviewItem(id, signal),
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

/** A member of what an item holds as JSON; null: none. */
export const readMember = (value: unknown, name: string): unknown =>
  isObject(value) ? (value[name] ?? null) : null;

/** Whether an approval of this person counts, where others have to approve as well. */
export const hasVoted = ({ approvals }: ReviewItem, userId: string): boolean =>
  approvals?.votes.some((vote) => vote.userId === userId && vote.step !== null) ?? false;

/** The edits with which others approved the only one of these: an approval without them would annul their votes. */
export function readVotedEdits(items: readonly ReviewItem[]): {
  edits?: Record<string, unknown> | string;
} {
  const edits = items.length === 1 ? items[0]?.approvals?.edits : null;
  return edits == null ? {} : { edits: edits as Record<string, unknown> | string };
}
