// Standing grants: lists of those that stand and of those that have ended, one of them, and its terms in words.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { createPagedQuery } from '../../parts/lists/paged-list.tsx';

export type Grant = components['schemas']['StandingGrant'];

/** `agentId` undefined: of all agents. */
export const createGrantsQuery = (standing: boolean, agentId: string | undefined) =>
  createPagedQuery(['grants', 'list', standing, agentId ?? 'all'], (page, signal) => {
    const query = {
      standing: standing ? 'true' : 'false',
      ...(agentId !== undefined && { agentId }),
      page,
      limit: 50,
    } as const;
    return readEnvelope(api.GET('/api/v1/grants', { params: { query }, signal }));
  });

export const createGrantQuery = (id: string) =>
  queryOptions({
    queryKey: ['grants', id],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/grants/{id}', { params: { path: { id } }, signal })),
    // Each use changes what is left.
    staleTime: 0,
  });

export const describeTool = ({ tool, server }: Pick<Grant, 'tool' | 'server'>): string =>
  server === null ? tool : `${tool} of ${server}`;

const ENDS = {
  granted: 'It stands',
  revoked: 'Ended by hand',
  expired: 'Its time was over',
  exhausted: 'Used up',
} as const;

const CAUSES = {
  policy: 'A policy of it was changed',
  membership: 'Who gave it does not decide here any more',
} as const;

/** Why it lets nothing through any more. */
export function describeEnd({ status, cause, endedBy }: Grant): string {
  if (cause !== null) return CAUSES[cause];
  return status === 'revoked' && endedBy === null ? 'Ended by the service' : ENDS[status];
}
