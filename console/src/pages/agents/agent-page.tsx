// One agent: how it stands and why, how sure it is, what it may do, what it runs on, and how it is guarded.
import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createAgentQuery } from '../../api/shared-queries.ts';
import { StopButton } from '../../parts/halts/stop-button.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { WayTabs } from '../../parts/way-tabs.tsx';
import { useRights } from '../../session/session.ts';
import { AgentLimits } from './agent-limits.tsx';
import { AgentModel } from './agent-model.tsx';
import { type Agent, createCountsQuery } from './agent-queries.ts';
import { PauseButton, PauseNote } from './agent-pause.tsx';
import { AgentStatus } from './agent-status.tsx';
import { Confidence } from './confidence.tsx';
import { DetailsForm, KeySection, RemovalSection } from './agent-sections.tsx';
import { AgentTrusts } from './trusts/agent-trusts.tsx';
import { Unguarded } from './unguarded.tsx';
import { Versions } from './versions.tsx';

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
  const { mayManage } = useRights();
  return (
    <Stack gap="md">
      <PauseNote agent={agent} />
      <Counts agentId={agent._id} />
      <Confidence agent={agent} />
      <Unguarded agent={agent} />
      <AgentLimits key={agent.updatedAt} agent={agent} />
      <KeySection agent={agent} />
      <AgentTrusts agent={agent} />
      <Section title="Guard it" lead="Lines that make this agent ask before it acts.">
        <WayTabs target={{ key: null, agent: agent.name, tool: 'my_tool' }} />
      </Section>
      <AgentModel agent={agent} />
      <Versions agentId={agent._id} />
      {mayManage && <DetailsForm agent={agent} />}
      {mayManage && <RemovalSection agent={agent} />}
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
