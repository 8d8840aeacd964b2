// The agents of the organisation: how they stand, when they last asked, and what they run on.
import { Code, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readEnvelope } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import type { Agent } from './agent-queries.ts';
import { AgentStatus } from './agent-status.tsx';
import { SeenAgents } from './seen-agents.tsx';
import { OnboardingDraft } from './onboarding/draft.tsx';
import { Registration } from './onboarding/registration.tsx';

const listQuery = createPagedQuery(['agents', 'list'], (page, signal) => {
  const query = { page, limit: 100 };
  return readEnvelope(api.GET('/api/v1/agents', { params: { query }, signal }));
});

const describeModel = ({ modelMetadata }: Agent): string =>
  [modelMetadata?.provider, modelMetadata?.model, modelMetadata?.version]
    .filter((part) => part !== undefined)
    .join(' ');

const COLUMNS: readonly Column<Agent>[] = [
  {
    title: 'Agent',
    cell: ({ _id: agentId, name, description }) => (
      <>
        <RowLink to="/agents/$agentId" params={{ agentId }}>
          {markInvisible(name)}
        </RowLink>
        {description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {markInvisible(description)}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Status', cell: (agent) => <AgentStatus agent={agent} /> },
  {
    title: 'Model',
    cell: (agent) =>
      describeModel(agent) || (
        <Text span size="sm" c="dimmed">
          Not stated
        </Text>
      ),
  },
  { title: 'Key ends in', cell: ({ apiKeyPrefix }) => <Code>{apiKeyPrefix}</Code> },
  {
    title: 'Last decision',
    isEnd: true,
    cell: ({ lastActive }) => (lastActive === null ? 'None yet' : <Ago at={lastActive} />),
  },
];

export function AgentsPage(): ReactNode {
  const list = useInfiniteQuery(listQuery);
  const { mayManage } = useRights();
  return (
    <Page
      title="Agents"
      lead="What acts in your name: its status, and when it last asked."
      actions={mayManage && <Registration />}
    >
      {mayManage && <OnboardingDraft />}
      <QueryView query={list}>
        {(agents) =>
          agents.length === 0 ? (
            <Empty icon="agents" title="No agent is registered yet">
              Register one, or post a decision: the name that it gives then stands here to be
              registered.
            </Empty>
          ) : (
            <Stack gap="sm">
              <DataTable label="Agents" rows={agents} toKey={({ _id }) => _id} columns={COLUMNS} />
              <ShowMore list={list} />
            </Stack>
          )
        }
      </QueryView>
      <SeenAgents />
    </Page>
  );
}
