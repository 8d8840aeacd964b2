// Groups of decisions as the service counts them, and the decisions of one that wait.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type DecisionGroup = components['schemas']['DecisionGroup'];

export const GROUP_KINDS = ['waiting', 'blocked', 'muted'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** Absent: all but the muted ones. */
export const createGroupsQuery = (kind: GroupKind | undefined) =>
  queryOptions({
    queryKey: ['groups', kind ?? 'all'],
    queryFn: ({ signal }) => {
      const query = kind === 'muted' ? { muted: 'true' } : kind && { state: kind };
      return readEnvelope(
        api.GET('/api/v1/traces/groups', { params: { query: query ?? {} }, signal }),
      );
    },
  });

/** What is decided at once, and what is shown before: what is due first. */
export const BATCH = 100;

export const readWaiting = (group: string, limit: number) =>
  readEnvelope(
    api.GET('/api/v1/review-queue', {
      params: { query: { status: 'pending', sort: 'due', group, limit } },
    }),
  );

export const muteGroup = (group: string, days: number) =>
  readData(
    api.PUT('/api/v1/traces/groups/{group}/mute', {
      params: { path: { group } },
      body: { until: new Date(Date.now() + days * 86_400_000).toISOString() },
    }),
  );

export const unmuteGroup = (group: string) =>
  readData(api.DELETE('/api/v1/traces/groups/{group}/mute', { params: { path: { group } } }));
