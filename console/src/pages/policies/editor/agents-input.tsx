// The agents that a policy is for; its chips come after the page, for they are large.
import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { agentsQuery } from '../../../api/shared-queries.ts';
import type { PolicyContents } from '../policy-queries.ts';
import { readAgents, withAgents } from './agent-scope.ts';

interface Props {
  conditions: PolicyContents['conditions'];
  isReadOnly: boolean;
  onChange: (conditions: PolicyContents['conditions']) => void;
}

/** As many values as a condition may have. */
const MOST_AGENTS = 1_000;

/** Written as a condition on the name of the agent. */
export function AgentsInput({ conditions, isReadOnly, onChange }: Props): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  const chosen = readAgents(conditions);
  return (
    <TagsInput
      label="Agents"
      description={
        chosen === null ? 'The rule says “or”: its conditions name the agents' : undefined
      }
      placeholder={chosen?.length === 0 ? 'All agents' : undefined}
      data={[...new Set(agents.map(({ name }) => name))]}
      value={chosen ?? []}
      splitChars={[]}
      maxTags={MOST_AGENTS}
      disabled={isReadOnly || chosen === null}
      onChange={(names) => onChange(withAgents(conditions, names))}
    />
  );
}
