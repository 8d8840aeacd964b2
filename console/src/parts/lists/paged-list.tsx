// Lists that the API gives page by page: the first page, and a button for the next.
import { Button } from '@mantine/core';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface PageOf<R> {
  data: R[];
  pagination?: { page: number; pages: number; total: number };
}

/** The query of a list, whose key begins with what `useChange` refreshes. */
export const createPagedQuery = <R,>(
  queryKey: readonly unknown[],
  loadPage: (page: number, signal: AbortSignal) => Promise<PageOf<R>>,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => loadPage(pageParam, signal),
    getNextPageParam: ({ pagination }) =>
      pagination && pagination.page < pagination.pages ? pagination.page + 1 : undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });

interface Continued {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export function ShowMore({ list }: { list: Continued }): ReactNode {
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="xs"
      mx="auto"
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      Show more
    </Button>
  );
}
