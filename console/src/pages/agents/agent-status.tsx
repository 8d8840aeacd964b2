// How an agent stands: the word of the service, with the limits that it follows in a tooltip.
import type { ReactNode } from 'react';
import { Sign } from '../../parts/verdict.tsx';
import type { Agent } from './agent-queries.ts';

const LOOKS = {
  healthy: {
    tone: 'good',
    word: 'Healthy',
    rule: 'Of the newest 50 decisions few are stopped, and the mean confidence is high.',
  },
  degraded: {
    tone: 'warning',
    word: 'Degraded',
    rule: 'A fifth of the newest 50 decisions is stopped, or the mean confidence is below 0.6.',
  },
  critical: {
    tone: 'bad',
    word: 'Critical',
    rule: 'Half of the newest 50 decisions are stopped, or the mean confidence is below 0.4.',
  },
} as const;

interface Props {
  agent: Agent;
  isFilled?: boolean;
}

export function AgentStatus({ agent, isFilled = false }: Props): ReactNode {
  if (agent.paused)
    return (
      <Sign tone="bad" isFilled={isFilled}>
        Paused
      </Sign>
    );
  if (agent.lastActive === null) return <Sign tone="neutral">Not seen yet</Sign>;
  const { tone, word, rule } = LOOKS[agent.status];
  return (
    <span title={rule}>
      <Sign tone={tone} isFilled={isFilled}>
        {word}
      </Sign>
    </span>
  );
}
