// The cache of what the API answered.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { reportEnd } from '../session/session-end.ts';

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
