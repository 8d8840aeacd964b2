// Standing grants: what agents may do again without a person, and what they might do before.
import { Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Page } from '../../parts/page.tsx';
import { describeBound } from '../../parts/record/condition-words.ts';
import { MemberName } from '../../parts/record/thing-name.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, Countdown } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { EndGrantsOfAgent } from './end-grants.tsx';
import { createGrantsQuery, describeEnd, describeTool, type Grant } from './grant-queries.ts';

const route = getRouteApi('/session/grants');

export function GrantsPage(): ReactNode {
  const { agent } = route.useSearch();
  const { mayManage } = useRights();
  return (
    <Page
      title="Standing grants"
      lead={
        agent === undefined ? (
          'What agents may do again without a person: one tool each, for a time and a number of times.'
        ) : (
          <>
            What one agent may do again without a person.{' '}
            <TextLink to="/grants" size="sm">
              All agents
            </TextLink>
          </>
        )
      }
      actions={agent !== undefined && mayManage && <EndGrantsOfAgent agentId={agent} />}
    >
      <Standing agent={agent} />
      <Ended agent={agent} />
    </Page>
  );
}

const ABOUT: readonly Column<Grant>[] = [
  {
    title: 'Tool',
    cell: (grant) => (
      <RowLink to="/grants/$grantId" params={{ grantId: grant.id }}>
        {markInvisible(describeTool(grant))}
      </RowLink>
    ),
  },
  {
    title: 'Agent',
    cell: ({ agentId, agentName }) => (
      <TextLink to="/grants" search={{ agent: agentId }} size="sm">
        {markInvisible(agentName ?? agentId)}
      </TextLink>
    ),
  },
  { title: 'Only where', cell: ({ when }) => <Bounds when={when} /> },
  { title: 'Given by', cell: ({ givenBy }) => <MemberName id={givenBy} /> },
];

function Bounds({ when }: Pick<Grant, 'when'>): ReactNode {
  if (when.length === 0)
    return (
      <Text span size="sm" c="dimmed">
        Any arguments
      </Text>
    );
  return (
    <Text span size="sm" lineClamp={2}>
      {markInvisible(when.map(describeBound).join(', '))}
    </Text>
  );
}

const STANDING: readonly Column<Grant>[] = [
  ...ABOUT,
  {
    title: 'Left',
    isEnd: true,
    cell: ({ left, uses }) => `${left.toLocaleString('en')} of ${uses.toLocaleString('en')}`,
  },
  { title: 'Until', isEnd: true, cell: ({ until }) => <Countdown to={until} /> },
];

function Standing({ agent }: { agent: string | undefined }): ReactNode {
  const list = useInfiniteQuery(createGrantsQuery(true, agent));
  return (
    <QueryView query={list}>
      {(grants) =>
        grants.length === 0 ? (
          <Empty icon="review" title="No grants stand">
            Who approves a held decision may let the agent use that tool again without a person: by
            Allow for a time, in the review queue.
          </Empty>
        ) : (
          <>
            <DataTable
              label="Grants that stand"
              rows={grants}
              toKey={({ id }) => id}
              columns={STANDING}
            />
            <ShowMore list={list} />
          </>
        )
      }
    </QueryView>
  );
}

const ENDED: readonly Column<Grant>[] = [
  ...ABOUT,
  { title: 'Why it ended', cell: describeEnd },
  {
    title: 'Used',
    isEnd: true,
    cell: ({ used, uses }) => `${used.toLocaleString('en')} of ${uses.toLocaleString('en')}`,
  },
  { title: 'Ended', isEnd: true, cell: ({ endedAt, until }) => <Ago at={endedAt ?? until} /> },
];

function Ended({ agent }: { agent: string | undefined }): ReactNode {
  const list = useInfiniteQuery(createGrantsQuery(false, agent));
  if (list.data?.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Ended">
      <Title order={2}>Ended</Title>
      <QueryView query={list}>
        {(grants) => (
          <>
            <DataTable label="Ended" rows={grants} toKey={({ id }) => id} columns={ENDED} />
            <ShowMore list={list} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}
