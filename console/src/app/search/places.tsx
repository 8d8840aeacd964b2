// Where the search box leads: pages, agents and policies by name, and a decision by its id.
import { Kbd } from '@mantine/core';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { agentsQuery, policiesQuery } from '../../api/shared-queries.ts';
import { Icon } from '../../parts/icons.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { useRights } from '../../session/session.ts';
import { sections } from '../navigation.ts';

const TRACE_ID = /^(trc_[0-9a-f]{32}|[0-9a-f]{24})$/;

function usePages(): SpotlightActionData[] {
  const navigate = useNavigate();
  const rights = useRights();
  return sections.flatMap(({ destinations }) =>
    destinations
      .filter(({ isFor }) => isFor?.(rights) ?? true)
      .map(({ to, label, letter, icon, keywords = '' }) => ({
        id: to,
        label,
        keywords,
        leftSection: <Icon name={icon} />,
        rightSection: letter !== undefined && <Kbd size="xs">g {letter}</Kbd>,
        onClick: () => void navigate({ to }),
      })),
  );
}

export function usePlaces(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const isAsked = query !== '';
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: isAsked });
  const { data: policies = [] } = useQuery({ ...policiesQuery, enabled: isAsked });
  const pages = usePages();
  if (!isAsked) return pages;
  const traceId = query.trim();
  const decision = {
    id: traceId,
    label: `Decision ${traceId}`,
    leftSection: <Icon name="decision" />,
    onClick: () => void navigate({ to: '/decisions/$traceId', params: { traceId } }),
  };
  const ofAgents = agents.map(({ _id, name }) => ({
    id: _id,
    label: markInvisible(name),
    description: 'Agent',
    leftSection: <Icon name="agents" />,
    onClick: () => void navigate({ to: '/agents/$agentId', params: { agentId: _id } }),
  }));
  const ofPolicies = policies.map(({ _id, name }) => ({
    id: _id,
    label: markInvisible(name),
    description: 'Policy',
    leftSection: <Icon name="policies" />,
    onClick: () => void navigate({ to: '/policies/$policyId', params: { policyId: _id } }),
  }));
  return [...(TRACE_ID.test(traceId) ? [decision] : []), ...pages, ...ofAgents, ...ofPolicies];
}
