// What is halted now with what is under way, and what was.
import { Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readEnvelope } from '../../api/client.ts';
import {
  bindingQuery,
  createHaltQuery,
  type Halt,
  type HaltDetail,
  describeHalted,
} from '../../parts/halts/halt-queries.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { MemberName } from '../../parts/record/thing-name.tsx';
import { HaltState } from './halt-state.tsx';

/** Halts whose details are read for the list. */
const DETAILED_MAX = 20;

const endedQuery = createPagedQuery(['halts', 'ended'], (page, signal) => {
  const query = { binding: 'false', page, limit: 50 } as const;
  return readEnvelope(api.GET('/api/v1/halts', { params: { query }, signal }));
});

const ABOUT: readonly Column<Halt>[] = [
  {
    title: 'What',
    cell: (halt) => (
      <RowLink to="/halts/$haltId" params={{ haltId: halt.id }}>
        {describeHalted(halt)}
      </RowLink>
    ),
  },
  {
    title: 'State',
    cell: ({ state, resumption }) => <HaltState state={state} isAsked={resumption !== null} />,
  },
  { title: 'Reason', cell: ({ reason }) => <Reason text={reason} /> },
];

const Reason = ({ text }: { text: string | null }): ReactNode =>
  text === null ? (
    <Text span size="sm" c="dimmed">
      None given
    </Text>
  ) : (
    <Text span size="sm" lineClamp={2}>
      {markInvisible(text)}
    </Text>
  );

export function HaltsPage(): ReactNode {
  const binding = useQuery(bindingQuery);
  return (
    <Page
      title="Halts"
      lead="What is stopped: nothing that a halt covers is approved or started until two people resume it."
    >
      <QueryView query={binding}>
        {(halts) =>
          halts.length === 0 ? (
            <Empty icon="stop" title="Nothing is halted">
              Stop in the bar halts an agent, a workspace or everything at once, from any page.
            </Empty>
          ) : (
            <Binding halts={halts} />
          )
        }
      </QueryView>
      <Ended />
    </Page>
  );
}

type Row = Halt & { detail: HaltDetail | undefined };

const BINDING: readonly Column<Row>[] = [
  ...ABOUT,
  {
    title: 'By',
    cell: ({ detail }) => detail && <MemberName id={detail.history.at(-1)?.by ?? null} />,
  },
  {
    title: 'Under way',
    isEnd: true,
    cell: ({ detail }) => detail?.underWay.total.toLocaleString('en') ?? '',
  },
  { title: 'Since', isEnd: true, cell: ({ since }) => <Ago at={since} /> },
];

function Binding({ halts }: { halts: readonly Halt[] }): ReactNode {
  const details = useQueries({
    queries: halts.slice(0, DETAILED_MAX).map(({ id }) => createHaltQuery(id)),
  });
  const rows = halts.map((halt, at) => ({ ...halt, detail: details[at]?.data }));
  return <DataTable label="Halted now" rows={rows} toKey={({ id }) => id} columns={BINDING} />;
}

const ENDED: readonly Column<Halt>[] = [
  ...ABOUT,
  { title: 'Since', isEnd: true, cell: ({ since }) => <Ago at={since} /> },
  {
    title: 'Resumed',
    isEnd: true,
    cell: ({ resumedAt }) => resumedAt !== null && <Ago at={resumedAt} />,
  },
];

function Ended(): ReactNode {
  const list = useInfiniteQuery(endedQuery);
  if (list.data?.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Resumed">
      <Title order={2}>Resumed</Title>
      <QueryView query={list}>
        {(halts) => (
          <>
            <DataTable label="Resumed" rows={halts} toKey={({ id }) => id} columns={ENDED} />
            <ShowMore list={list} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}
