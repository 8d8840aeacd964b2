// The values that the search line suggests: what the organisation calls its agents, policies, tools and workspaces.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, readData } from '../../../api/client.ts';
import {
  agentsQuery,
  policiesQuery,
  seenAgentsQuery,
  unlistedQuery,
  workspacesQuery,
} from '../../../api/shared-queries.ts';
import type { Decision } from '../../../parts/decision-stream.ts';
import type { KnownValues } from './complete-line.ts';

const listedQuery = queryOptions({
  queryKey: ['tools', 'names'],
  queryFn: ({ signal }) =>
    readData(api.GET('/api/v1/tools', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

/** What is found without any decision that has it. */
const USUAL_TAGS = [
  'LOW_CONFIDENCE',
  'PII_EMAIL',
  'PII_PHONE',
  'PII_CREDIT_CARD',
  'HALTED',
  'LIMIT_REACHED',
  'AGENT_PAUSED',
  'POLICY_ERROR',
  'OUTSIDE_GRANT',
  'OBSERVED',
];

const listNames = (all: readonly { name: string }[] = []): string[] => all.map(({ name }) => name);
const listOnce = (names: readonly string[]): string[] => [...new Set(names)];

/** Tags and sessions of the decisions that this tab has read. */
function useReadDecisions(): Pick<KnownValues, 'tag' | 'session'> {
  const queries = useQueryClient();
  return useMemo(() => {
    const lists = queries.getQueriesData<{ pages: { data: Decision[] }[] }>({
      queryKey: ['decisions', 'live'],
    });
    const read = lists.flatMap(([, list]) => list?.pages.flatMap(({ data }) => data) ?? []);
    const sessions = read.flatMap(({ sessionId: id }) => (typeof id === 'string' ? [id] : []));
    return {
      tag: listOnce([...read.flatMap(({ tags }) => tags), ...USUAL_TAGS]),
      session: listOnce(sessions),
    };
  }, [queries]);
}

export function useKnownValues(): KnownValues {
  const read = useReadDecisions();
  const { data: agents } = useQuery(agentsQuery);
  const { data: seen } = useQuery(seenAgentsQuery);
  const { data: policies } = useQuery(policiesQuery);
  const { data: workspaces } = useQuery(workspacesQuery);
  const { data: listed } = useQuery(listedQuery);
  const { data: unlisted } = useQuery(unlistedQuery);
  return {
    ...read,
    agent: listOnce([...listNames(agents), ...listNames(seen)]),
    policy: listOnce(listNames(policies)),
    workspace: listOnce(listNames(workspaces)),
    tool: listOnce([...listNames(unlisted?.tools), ...listNames(listed)]),
  };
}
