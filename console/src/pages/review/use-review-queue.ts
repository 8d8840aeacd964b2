// What the review queue shows: the pages that are loaded, the item of the address, and what is marked.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useStreamRefresh, WITHOUT_STREAM_MS } from '../../api/stream-refresh.ts';
import {
  createReviewItemQuery,
  createReviewQuery,
  markDecided,
  type ReviewItem,
} from './review-queries.ts';
import { usePendingVerdicts } from './verdicts/pending-verdicts.ts';

const route = getRouteApi('/session/review/{-$traceId}');

/** With fewer left than these, the next page is loaded. */
const FEW = 20;
const HANDED_ON: readonly string[] = ['assigned', 'escalated', 'voted'];

const isNamed = (item: ReviewItem, id: string | undefined): boolean =>
  item._id === id || item.traceId === id;

/** The pages of the list, read again when the stream says that something came. */
function useList() {
  const filters = route.useSearch();
  const queries = useQueryClient();
  const query = createReviewQuery(filters);
  const [isStreamed, setStreamed] = useState(true);
  const list = useInfiniteQuery({
    ...query,
    refetchInterval: isStreamed ? false : WITHOUT_STREAM_MS,
  });
  const isWaiting = (filters.status ?? 'pending') === 'pending';
  const state = useStreamRefresh({
    queryKey: ['review', 'list'],
    cost: list.data?.pages.length ?? 1,
    isForDecision: ({ status }) => isWaiting && status === 'flagged',
    isForReview({ change, reviewId }) {
      if (HANDED_ON.includes(change) || !isWaiting) return true;
      return reviewId !== null && !markDecided(queries, [reviewId]);
    },
  });
  useEffect(() => setStreamed(state !== 'lost'), [state]);
  return list;
}

/** The item of the address, where the list does not have it, or not in full. */
function useOpened(id: string | undefined, listed: ReviewItem | undefined) {
  const isWanted = id !== undefined && (!listed || listed.payloadOmitted === true);
  const query = useQuery({
    ...createReviewItemQuery(listed?.traceId ?? id ?? ''),
    enabled: isWanted,
  });
  return isWanted ? query : { data: listed, isPending: false, error: null };
}

export function useReviewQueue() {
  const { traceId: id } = route.useParams();
  const navigate = route.useNavigate();
  const list = useList();
  const { ids: hidden } = usePendingVerdicts();
  const items = useMemo(() => listShown(list.data?.pages ?? [], hidden), [list.data, hidden]);
  const named = items.findIndex((item) => isNamed(item, id));
  const isFirst = id === undefined || isHiddenItem(list.data?.pages ?? [], id, hidden);
  const listed = items[isFirst ? 0 : named];
  const opened = useOpened(isFirst ? listed?.traceId : id, listed);
  const isHidden = opened.data !== undefined && hidden.has(opened.data._id);
  const chosen = isHidden ? items[0] : opened.data;
  const index = chosen ? items.findIndex(({ _id }) => _id === chosen._id) : -1;

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isShort = items.length - index <= FEW;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isShort, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const choose = useCallback(
    (item: ReviewItem | undefined): void =>
      void navigate({
        to: '/review/{-$traceId}',
        params: { traceId: item?.traceId },
        search: (known) => known,
        replace: true,
      }),
    [navigate],
  );
  return {
    id,
    items,
    pages: { hasNextPage, isFetchingNextPage, fetchNextPage },
    chosen,
    choose,
    /** The item of the address is on its way. */
    isOpening: opened.isPending,
    isGone: opened.error !== null && opened.data === undefined,
    problem: opened.error,
    /** The first item after the chosen one that is none of these. */
    findNext: (ids: ReadonlySet<string>): ReviewItem | undefined =>
      [...items.slice(index + 1), ...items].find(({ _id }) => !ids.has(_id)),
    move: (by: number): void => choose(items[Math.min(items.length - 1, Math.max(0, index + by))]),
  };
}

type Pages = readonly { data: ReviewItem[] }[];

/** Each item once: pages overlap when items were decided between them. */
function listShown(pages: Pages, hidden: ReadonlySet<string>): ReviewItem[] {
  const all = new Map(pages.flatMap(({ data }) => data).map((item) => [item._id, item]));
  return [...all.values()].filter(({ _id, status }) => status !== 'pending' || !hidden.has(_id));
}

const isHiddenItem = (pages: Pages, id: string, hidden: ReadonlySet<string>): boolean =>
  pages.some(({ data }) => data.some((item) => isNamed(item, id) && hidden.has(item._id)));

/** What is marked for a common verdict, each as it was on screen when it was opened. */
export function useSelection(chosen: ReviewItem | undefined) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlyMap<string, ReviewItem>>(new Map());
  useEffect(() => {
    if (chosen && chosen.payloadOmitted !== true)
      setOpened((known) => new Map([...known, [chosen._id, chosen]]));
  }, [chosen]);
  const toggle = useCallback(
    (id: string): void =>
      setSelected((known) =>
        known.has(id)
          ? new Set([...known].filter((other) => other !== id))
          : new Set([...known, id]),
      ),
    [],
  );
  return {
    selected,
    opened,
    toggle,
    clear: () => setSelected(new Set()),
    listMarked: (items: readonly ReviewItem[]): ReviewItem[] =>
      items.flatMap(({ _id }) => (selected.has(_id) ? (opened.get(_id) ?? []) : [])),
  };
}
