// What the API holds about agents.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type Agent = components['schemas']['Agent'];

const toPath = (id: string) => ({ params: { path: { id } } });

export const createCountsQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'counts', id],
    queryFn: () => readData(api.GET('/api/v1/agents/{id}/analytics', toPath(id))),
  });

export const createVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'versions', id],
    queryFn: async () =>
      (await readEnvelope(api.GET('/api/v1/agents/{id}/versions', toPath(id)))).history ?? [],
  });

export const createModelQuery = (id: string) =>
  queryOptions({
    queryKey: ['agents', 'model', id],
    queryFn: () => readEnvelope(api.GET('/api/v1/agents/{id}/ml-bom', toPath(id))),
  });

const NEWEST = 200;

/** The newest decisions of an agent, the newest first. */
export const createNewestQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['decisions', 'of-agent', agentId],
    queryFn: () => {
      const query = { agentId, limit: NEWEST };
      return readEnvelope(api.GET('/api/v1/traces', { params: { query } }));
    },
  });
