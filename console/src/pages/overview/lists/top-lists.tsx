// The policies and agents that acted most, each a way to its decisions.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TextLink } from '../../../parts/links.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { markInvisible, StoredLine } from '../../../parts/text.tsx';
import type { OverviewData } from '../overview-queries.ts';
import { TopList, type TopRow } from './top-list.tsx';

type Policy = OverviewData['policies'][number];
type Agent = OverviewData['agents'][number];
type Tool = OverviewData['tools'][number];
type Span = OverviewData['span'];

export function TopPolicies({ data: { policies, span } }: { data: OverviewData }): ReactNode {
  return (
    <Section title="Policies" lead="The ones that matched most.">
      {policies.length === 0 ? (
        <Text size="sm" c="dimmed">
          No policy matched a decision of this period.
        </Text>
      ) : (
        <TopList
          label="Policies that matched most"
          titles={['Policy', 'Matches']}
          rows={policies.map((policy) => toPolicyRow(policy, span))}
        />
      )}
    </Section>
  );
}

function toPolicyRow({ id, name: known, ...policy }: Policy, { from, to }: Span): TopRow {
  const name = id === null ? 'Rare combinations' : (known ?? 'A removed policy');
  const shown =
    id === null ? (
      name
    ) : (
      <TextLink to="/live" search={{ policy: id, from, to }} size="sm">
        <StoredLine value={name} />
      </TextLink>
    );
  return { ...policy, key: id ?? 'other', name: markInvisible(name), shown };
}

export function TopTools({ data: { tools, span } }: { data: OverviewData }): ReactNode {
  return (
    <Section
      title="Tools"
      lead="The ones that were called most."
      actions={
        <TextLink to="/tools" size="sm">
          Catalogue
        </TextLink>
      }
    >
      {tools.length === 0 ? (
        <Text size="sm" c="dimmed">
          No decision of this period called a tool.
        </Text>
      ) : (
        <TopList
          label="Tools that were called most"
          titles={['Tool', 'Decisions']}
          rows={tools.map((tool, at) => toToolRow(tool, at, span))}
        />
      )}
    </Section>
  );
}

function toToolRow(
  { name: known, kind, listed: _listed, ...counts }: Tool,
  at: number,
  { from, to }: Span,
): TopRow {
  const name = known ?? (kind === 'other' ? 'Other tools' : 'A tool that is not listed');
  const shown =
    known === null ? (
      name
    ) : (
      <TextLink to="/live" search={{ tool: known, from, to }} size="sm">
        <StoredLine value={known} />
      </TextLink>
    );
  return { ...counts, key: `${at} ${name}`, name: markInvisible(name), shown };
}

const UNKNOWN = {
  registered: 'A removed agent',
  unregistered: 'An agent that is not registered',
  unnamed: 'No agent named',
  other: 'Other agents',
} as const;

export function TopAgents({ data: { agents, span } }: { data: OverviewData }): ReactNode {
  return (
    <Section title="Agents" lead="The ones that decided most.">
      <TopList
        label="Agents that decided most"
        titles={['Agent', 'Decisions']}
        rows={agents.map((agent, at) => toAgentRow(agent, at, span))}
      />
    </Section>
  );
}

function toAgentRow({ id, name: known, kind, ...counts }: Agent, at: number, span: Span): TopRow {
  const { from, to } = span;
  const name = known ?? UNKNOWN[kind];
  const agent = id ?? known;
  const shown =
    agent === null ? (
      name
    ) : (
      <TextLink to="/live" search={{ agent, from, to }} size="sm">
        <StoredLine value={name} />
      </TextLink>
    );
  return { ...counts, key: `${at} ${agent}`, name: markInvisible(name), shown };
}
