// Which ways of signing in this installation has, and where a provider sends the browser back to.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => readData(api.GET('/api/v1/auth/sign-in-options')),
  staleTime: Infinity,
});

export function toReturnAddress(next: string | undefined): string {
  const address = new URL('/console/signed-on', location.origin);
  if (next !== undefined) address.searchParams.set('next', next);
  return address.href;
}
