// Queries that several pages share, or the frame around them.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from './client.ts';

/** How many held decisions wait; a tab in the background asks as well, since its title says it. */
export const waitingQuery = queryOptions({
  queryKey: ['review', 'count'],
  async queryFn() {
    const query = { status: 'pending', limit: 1 } as const;
    return (await readEnvelope(api.GET('/api/v1/review-queue', { params: { query } }))).total;
  },
  refetchInterval: 60_000,
  refetchIntervalInBackground: true,
});

/** Agents that decisions name and that are not registered. */
export const seenAgentsQuery = queryOptions({
  queryKey: ['agents', 'seen'],
  queryFn: () => readData(api.GET('/api/v1/agents/seen')),
  staleTime: 30_000,
});

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: () => readData(api.GET('/api/v1/agents', { params: { query: { limit: 200 } } })),
  staleTime: 30_000,
});

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: () => readData(api.GET('/api/v1/policies', { params: { query: { limit: 200 } } })),
  staleTime: 30_000,
});

/** Tools that agents called of late and that nothing lists. */
export const unlistedQuery = queryOptions({
  queryKey: ['tools', 'unlisted'],
  queryFn: ({ signal }) => readData(api.GET('/api/v1/tools/unlisted', { signal })),
  staleTime: 30_000,
});

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => readData(api.GET('/api/v1/team/members')),
  staleTime: 30_000,
});

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: () => readData(api.GET('/api/v1/workspaces')),
  staleTime: 30_000,
});

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: () => readData(api.GET('/api/v1/organization')),
  staleTime: 30_000,
});

export const createAgentQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'one', id],
    queryFn: () => readData(api.GET('/api/v1/agents/{id}', { params: { path: { id } } })),
  });

export const createDecisionQuery = (traceId: string) =>
  queryOptions({
    queryKey: ['decisions', 'one', traceId],
    queryFn: ({ signal }) =>
      readData(api.GET('/api/v1/traces/{id}', { params: { path: { id: traceId } }, signal })),
  });

const toNamed = <T extends { _id: string }>(things: readonly T[], toName: (thing: T) => string) =>
  things.map((thing) => ({ id: thing._id, name: toName(thing) }));

/** What has a name of its own, by its id: the newest of each kind. */
export const incidentNamesQuery = queryOptions({
  queryKey: ['incidents', 'names'],
  async queryFn() {
    const query = { limit: 100 };
    const found = await readData(api.GET('/api/v1/incidents', { params: { query } }));
    return toNamed(found, ({ title }) => title);
  },
  staleTime: 30_000,
});

export const alertNamesQuery = queryOptions({
  queryKey: ['alerts', 'names'],
  async queryFn() {
    const query = { limit: 100 };
    const found = await readData(api.GET('/api/v1/alerts', { params: { query } }));
    return toNamed(found, ({ name }) => name);
  },
  staleTime: 30_000,
});

export const webhookNamesQuery = queryOptions({
  queryKey: ['webhooks', 'names'],
  async queryFn() {
    const query = { limit: 200 };
    const found = await readData(api.GET('/api/v1/webhooks', { params: { query } }));
    return toNamed(found, ({ url }) => url);
  },
  staleTime: 30_000,
});

export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  async queryFn() {
    const query = { limit: 100 };
    const found = await readData(api.GET('/api/v1/auth/keys', { params: { query } }));
    return toNamed(found, ({ name }) => name);
  },
  staleTime: 30_000,
});
