// The cache of what the API answered. A session that ended elsewhere leads to the sign-in page from wherever it is noticed.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';

const onEnd = new Set<() => void>();

/** Calls `listener` when the service no longer takes the session. */
export function listenForEnd(listener: () => void): () => void {
  onEnd.add(listener);
  return () => void onEnd.delete(listener);
}

function reportEnd(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) for (const notify of onEnd) notify();
}

const mayRetry = (failures: number, error: unknown): boolean =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== 'session') reportEnd(error);
    },
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      if (mutation.meta?.['isSignIn'] !== true) reportEnd(error);
    },
  }),
  defaultOptions: { queries: { retry: mayRetry, staleTime: 5000, refetchOnWindowFocus: true } },
});
