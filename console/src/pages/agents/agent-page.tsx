// One agent: how it stands and why, how sure it is, what it may do, what it runs on, and how it is guarded.
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { createAgentQuery } from '../../api/shared-queries.ts';
import { StopButton } from '../../parts/halts/stop-button.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Loading, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { type Agent, createCountsQuery } from './agent-queries.ts';
import { PauseButton, PauseNote } from './agent-pause.tsx';
import { AgentStatus } from './agent-status.tsx';
import { Confidence } from './confidence.tsx';
import { Unguarded } from './unguarded.tsx';

const AgentSections = lazy(async () => ({
  default: (await import('./agent-sections.tsx')).AgentSections,
}));
const route = getRouteApi('/session/agents/$agentId');

export function AgentPage(): ReactNode {
  const { agentId } = route.useParams();
  const query = useQuery(createAgentQuery(agentId));
  const agent = query.data;
  return (
    <Page
      title={agent ? markInvisible(agent.name) : 'Agent'}
      lead={agent && <Lead agent={agent} />}
      actions={
        <>
          <ButtonLink to="/live" search={{ agent: agentId }} variant="default" size="xs">
            Its decisions
          </ButtonLink>
          {agent && <PauseButton agent={agent} />}
          {agent && (
            <StopButton
              label="Stop this agent"
              target={{ scope: 'agent', target: agentId, name: agent.name }}
            />
          )}
        </>
      }
    >
      <QueryView query={query}>{(found) => <Details agent={found} />}</QueryView>
    </Page>
  );
}

function Lead({ agent }: { agent: Agent }): ReactNode {
  return (
    <Group gap="sm" component="span" display="inline-flex">
      <AgentStatus agent={agent} />
      {agent.lastActive !== null && (
        <span>
          Last decision <Ago at={agent.lastActive} />
        </span>
      )}
    </Group>
  );
}

function Details({ agent }: { agent: Agent }): ReactNode {
  return (
    <Stack gap="md">
      <PauseNote agent={agent} />
      <Counts agentId={agent._id} />
      <Confidence agent={agent} />
      <Unguarded agent={agent} />
      <Suspense fallback={<Loading />}>
        <AgentSections agent={agent} />
      </Suspense>
    </Stack>
  );
}

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`;

function Counts({ agentId }: { agentId: string }): ReactNode {
  const counts = useQuery(createCountsQuery(agentId));
  return (
    <QueryView query={counts}>
      {({ totalTraces, approved, flagged, blocked }) => (
        <Figures
          items={[
            { label: 'Decisions', value: totalTraces.toLocaleString('en'), note: 'since it began' },
            {
              label: 'Approved',
              value: approved.toLocaleString('en'),
              note: formatShare(approved, totalTraces),
            },
            {
              label: 'Held',
              value: flagged.toLocaleString('en'),
              note: formatShare(flagged, totalTraces),
            },
            {
              label: 'Blocked',
              value: blocked.toLocaleString('en'),
              note: formatShare(blocked, totalTraces),
            },
          ]}
        />
      )}
    </QueryView>
  );
}
