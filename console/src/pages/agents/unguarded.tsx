// What spans of OpenTelemetry show this agent doing without having asked: tools to put a guard around.
import { Badge, Button, Collapse, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Section } from '../../parts/layout/section.tsx';
import type { Decision } from '../../parts/decision-stream.ts';
import { readAction, readToolCall } from '../../parts/decision-text.ts';
import { markInvisible } from '../../parts/text.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { WayTabs } from '../../parts/way-tabs.tsx';
import { type Agent, createNewestQuery } from './agent-queries.ts';

interface UnguardedTool {
  tool: string;
  calls: number;
  /** Calls that a policy would have stopped. */
  breaches: number;
}

const isObserved = ({ adapter }: Decision): boolean =>
  typeof adapter === 'object' &&
  adapter !== null &&
  (adapter as { mode?: unknown }).mode === 'observed';

/** Tools by how often they were seen after the fact; of other decisions nothing is said. */
export function countUnguarded(decisions: readonly Decision[]): UnguardedTool[] {
  const found = new Map<string, UnguardedTool>();
  for (const decision of decisions.filter(isObserved)) {
    const tool = readToolCall(readAction(decision))?.tool;
    if (tool === undefined) continue;
    const known = found.get(tool) ?? { tool, calls: 0, breaches: 0 };
    const isBreach = decision.status === 'blocked' || decision.tags.includes('OBSERVED_HOLD');
    known.calls += 1;
    known.breaches += isBreach ? 1 : 0;
    found.set(tool, known);
  }
  return [...found.values()].toSorted((a, b) => b.breaches - a.breaches || b.calls - a.calls);
}

export function Unguarded({ agent }: { agent: Agent }): ReactNode {
  const newest = useQuery(createNewestQuery(agent._id));
  const tools = countUnguarded(newest.data?.data ?? []);
  if (tools.length === 0) return null;
  return (
    <Section
      title="Done without asking"
      lead="Calls among the newest 200 that only spans tell of. They were judged after the fact: a guard stops them before."
    >
      {tools.map((seen) => (
        <Tool key={seen.tool} seen={seen} agent={agent} />
      ))}
    </Section>
  );
}

function Tool({ seen, agent }: { seen: UnguardedTool; agent: Agent }): ReactNode {
  const { tool, calls, breaches } = seen;
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Group gap="sm">
        <Text ff="monospace" size="sm" fw={600}>
          {markInvisible(tool)}
        </Text>
        <Text size="sm" c="dimmed">
          {calls === 1 ? 'once' : `${calls} times`}
        </Text>
        {breaches > 0 && <Verdict status="blocked" />}
        {breaches > 0 && <Badge color="gray">{breaches} against a policy</Badge>}
        <Button variant="default" size="xs" ml="auto" onClick={toggle} aria-expanded={isOpen}>
          Write the guard
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        {isOpen && (
          <WayTabs
            target={{ key: null, agent: agent.name, tool }}
            ways={['typescript', 'python', 'mcp']}
          />
        )}
      </Collapse>
    </div>
  );
}
