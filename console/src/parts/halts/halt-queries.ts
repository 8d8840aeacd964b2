// What the API holds about halts, and how a halt is named.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { markInvisible } from '../text.tsx';

export type Halt = components['schemas']['Halt'];
export type HaltDetail = components['schemas']['HaltDetail'];
export type HaltInput = components['schemas']['HaltInput'];

const SHOWN_MAX = 200;
const EVERY_MS = 60_000;

/** What forbids something now. */
export const bindingQuery = queryOptions({
  queryKey: ['halts', 'binding'],
  queryFn: () => {
    const query = { binding: 'true', limit: SHOWN_MAX } as const;
    return readData(api.GET('/api/v1/halts', { params: { query } }));
  },
  refetchInterval: EVERY_MS,
});

/** One halt with its history and what is under way. */
export const createHaltQuery = (id: string) =>
  queryOptions({
    queryKey: ['halts', 'one', id],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/halts/{id}', { params: { path: { id } }, signal })),
  });

const SCOPES = { session: 'Session', agent: 'Agent', workspace: 'Workspace' } as const;

/** Names what is halted, such as `Agent till`. */
export function describeHalted({
  scope,
  name,
  target,
}: Pick<Halt, 'scope' | 'name' | 'target'>): string {
  if (scope === 'organization') return 'Everything';
  const called = markInvisible(name ?? target);
  return scope === 'person' ? `All that is done for ${called}` : `${SCOPES[scope]} ${called}`;
}
