// One halt: what it stops and why, what goes on all the same, what happened to it, and how it ends.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  createHaltQuery,
  type HaltDetail,
  describeHalted,
} from '../../parts/halts/halt-queries.ts';
import { Section } from '../../parts/layout/section.tsx';
import { TextLink } from '../../parts/links.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Page } from '../../parts/page.tsx';
import { DecisionName } from '../../parts/record/decision-name.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible, ShortHash } from '../../parts/text.tsx';
import { Ago, formatExact } from '../../parts/time.tsx';
import { MemberName } from '../../parts/record/thing-name.tsx';
import { HaltState } from './halt-state.tsx';
import { Resumption } from './resumption.tsx';

const route = getRouteApi('/session/halts/$haltId');

export function HaltPage(): ReactNode {
  const { haltId } = route.useParams();
  const query = useQuery(createHaltQuery(haltId));
  const halt = query.data;
  return (
    <Page title={halt ? describeHalted(halt) : 'Halt'} lead={halt && <Lead halt={halt} />}>
      <QueryView query={query}>{(found) => <Details halt={found} />}</QueryView>
    </Page>
  );
}

function Lead({ halt: { state, since, resumedAt } }: { halt: HaltDetail }): ReactNode {
  return (
    <Group gap="sm" component="span" display="inline-flex">
      <HaltState state={state} />
      <span>
        Since {formatExact(since)}
        {resumedAt !== null && `, resumed ${formatExact(resumedAt)}`}
      </span>
    </Group>
  );
}

function Details({ halt }: { halt: HaltDetail }): ReactNode {
  const isBinding = halt.state !== 'resumed';
  return (
    <Stack gap="md">
      {isBinding && <Resumption halt={halt} />}
      {isBinding && <UnderWay underWay={halt.underWay} />}
      <History history={halt.history} />
    </Stack>
  );
}

type Running = HaltDetail['underWay']['items'][number];

const listColumns = (places: ReadonlyMap<string, number>): readonly Column<Running>[] => [
  {
    title: 'Decision',
    cell: ({ traceId }) => (
      <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm">
        <DecisionName traceId={traceId} at={places.get(traceId) ?? 0} isShort />
      </TextLink>
    ),
  },
  { title: 'Agent', cell: ({ agentName, agentId }) => markInvisible(agentName ?? agentId) },
  { title: 'Begun', isEnd: true, cell: ({ claimedAt }) => <Ago at={claimedAt} /> },
  {
    title: 'Its outcome is due',
    isEnd: true,
    cell: ({ leaseUntil }) => <Ago at={leaseUntil} />,
  },
];

function UnderWay({ underWay: { total, items } }: Pick<HaltDetail, 'underWay'>): ReactNode {
  return (
    <Section
      title="Under way: goes on, cannot be stopped"
      lead="What was claimed before the halt and has not ended. Where it has to stop, stop it in the system that does it."
    >
      {total === 0 ? (
        <Text size="sm">Nothing is under way.</Text>
      ) : (
        <>
          <DataTable
            label="Under way"
            rows={items}
            toKey={({ traceId }) => traceId}
            columns={listColumns(new Map(items.map(({ traceId }, at) => [traceId, at])))}
            isPlain
          />
          {total > items.length && (
            <Text size="sm" c="dimmed">
              {(total - items.length).toLocaleString('en')} more are under way.
            </Text>
          )}
        </>
      )}
    </Section>
  );
}

const STEPS = { halted: 'Halted', watched: 'Watched', resumed: 'Resumed' } as const;

function History({ history }: Pick<HaltDetail, 'history'>): ReactNode {
  return (
    <Section title="History">
      <ol className="timeline">
        {history.map(({ state, at, by, reason, hashChain: { sequence, chainHash } }) => (
          <li key={sequence}>
            <Group gap="xs" justify="space-between">
              <Text fw={600} size="sm">
                {STEPS[state]} by <MemberName id={by} />
              </Text>
              <Ago at={at} />
            </Group>
            {reason !== null && (
              <Text size="sm" className="stored-text">
                {markInvisible(reason)}
              </Text>
            )}
            <Group gap={6}>
              <Text size="xs" c="dimmed" className="numbers">
                Entry {sequence}
              </Text>
              <ShortHash value={chainHash} label="chain hash" />
            </Group>
          </li>
        ))}
      </ol>
    </Section>
  );
}
