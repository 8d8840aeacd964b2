// The search box: leads to any page, agent or policy, and to a decision by its id.
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import '@mantine/spotlight/styles.css';
import { agentsQuery, policiesQuery } from '../../api/shared-queries.ts';
import { Icon } from '../../parts/icons.tsx';
import { useRights } from '../../session/session.ts';
import { sections } from '../navigation.ts';

const TRACE_ID = /^(trc_[0-9a-f]{32}|[0-9a-f]{24})$/;

/** Pages, agents and policies; decisions are found by id alone, since there may be millions. */
function useActions(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const rights = useRights();
  const isAsked = query !== '';
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: isAsked });
  const { data: policies = [] } = useQuery({ ...policiesQuery, enabled: isAsked });
  const pages = sections.flatMap(({ destinations }) =>
    destinations
      .filter(({ isFor }) => isFor?.(rights) ?? true)
      .map(({ to, label, icon, keywords = '' }) => ({
        id: to,
        label,
        keywords,
        leftSection: <Icon name={icon} />,
        onClick: () => void navigate({ to }),
      })),
  );
  const traceId = query.trim();
  const decisions = TRACE_ID.test(traceId)
    ? [
        {
          id: traceId,
          label: `Decision ${traceId}`,
          leftSection: <Icon name="decision" />,
          onClick: () => void navigate({ to: '/decisions/$traceId', params: { traceId } }),
        },
      ]
    : [];
  const ofAgents = agents.map(({ _id, name }) => ({
    id: _id,
    label: name,
    description: 'Agent',
    leftSection: <Icon name="agents" />,
    onClick: () => void navigate({ to: '/agents/$agentId', params: { agentId: _id } }),
  }));
  const ofPolicies = policies.map(({ _id, name }) => ({
    id: _id,
    label: name,
    description: 'Policy',
    leftSection: <Icon name="policies" />,
    onClick: () => void navigate({ to: '/policies/$policyId', params: { policyId: _id } }),
  }));
  return isAsked ? [...decisions, ...pages, ...ofAgents, ...ofPolicies] : pages;
}

/** Opens whenever `asked` grows. */
export function SearchBox({ asked }: { asked: number }): ReactNode {
  const [query, setQuery] = useState('');
  useEffect(() => spotlight.open(), [asked]);
  return (
    <Spotlight
      query={query}
      onQueryChange={setQuery}
      actions={useActions(query)}
      limit={12}
      shortcut={null}
      nothingFound="Nothing found"
      highlightQuery
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: 'Page, agent, policy or decision',
        'aria-label': 'Search',
      }}
    />
  );
}
