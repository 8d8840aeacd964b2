// Sessions of agents: the one with the newest decision first, with filters that stand in the address.
import { Badge, Group, Select, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentsQuery, seenAgentsQuery } from '../../api/shared-queries.ts';
import { useStreamRefresh } from '../../api/stream-refresh.ts';
import { TextLink } from '../../parts/links.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, formatToMinute } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { type AgentSession, createSessionsQuery, type SessionFilters } from './session-queries.ts';
import { SESSION_STATES } from './sessions.route.ts';

const route = getRouteApi('/session/sessions');

export function SessionsPage(): ReactNode {
  const filters = route.useSearch();
  const list = useInfiniteQuery(createSessionsQuery(filters));
  useStreamRefresh({ queryKey: ['sessions', 'list'], cost: 1, isForDecision: () => true });
  return (
    <Page title="Sessions" lead="What agents did, run by run: the newest activity first." isWide>
      <Filters filters={filters} />
      <QueryView query={list}>
        {({ sessions, since }) => (
          <>
            {sessions.length === 0 ? (
              <NoSessions isFiltered={Object.keys(filters).length > 0} />
            ) : (
              <DataTable
                label="Sessions"
                rows={sessions}
                toKey={({ traceId }) => traceId}
                columns={COLUMNS}
              />
            )}
            <ShowMore list={list} />
            {since !== null && <Earlier since={since} filters={filters} />}
          </>
        )}
      </QueryView>
    </Page>
  );
}

const COLUMNS: readonly Column<AgentSession>[] = [
  {
    title: 'Session',
    cell: ({ traceId, sessionId }) => (
      <RowLink to="/sessions/$traceId" params={{ traceId }}>
        <Name text={sessionId ?? 'Without a name'} />
      </RowLink>
    ),
  },
  {
    title: 'Agent',
    cell: ({ agentName, agentId }) => <Name text={agentName ?? agentId ?? 'Erased'} />,
  },
  { title: 'State', isShort: true, cell: (session) => <States session={session} /> },
  { title: 'Labels', isShort: true, cell: ({ labels }) => <Labels labels={labels} /> },
  {
    title: 'Decisions',
    isEnd: true,
    cell: ({ decisions, hasMore }) => `${decisions.toLocaleString('en')}${hasMore ? '+' : ''}`,
  },
  { title: 'Began', isEnd: true, cell: ({ beganAt }) => <Ago at={beganAt} /> },
  { title: 'Last seen', isEnd: true, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
];

/** Two lines at most: agents name their sessions, and may write at length. */
const Name = ({ text }: { text: string }): ReactNode => (
  <Text span inherit lineClamp={2} miw={140} maw={340} className="stored-text" dir="auto">
    {markInvisible(text)}
  </Text>
);

function Labels({ labels }: { labels: readonly string[] }): ReactNode {
  if (labels.length === 0) return '—';
  return (
    <Group gap={4}>
      {labels.map((label) => (
        <Badge key={label} color="gray">
          {markInvisible(label)}
        </Badge>
      ))}
    </Group>
  );
}

function States({ session }: { session: AgentSession }): ReactNode {
  const { held, blocked, halt } = session;
  const signs = [
    halt && (
      <Sign key="halt" tone="bad">
        {halt.state === 'watched' ? 'Watched' : 'Halted'}
      </Sign>
    ),
    held > 0 && <Sign key="held" tone="warning">{`${held.toLocaleString('en')} held`}</Sign>,
    blocked > 0 && (
      <Sign key="blocked" tone="bad">{`${blocked.toLocaleString('en')} blocked`}</Sign>
    ),
  ].filter(Boolean);
  return signs.length === 0 ? '—' : <Group gap="xs">{signs}</Group>;
}

const STATE_WORDS = {
  held: 'Waits for a person',
  blocked: 'Had something blocked',
  halted: 'Halted',
};

function Filters({ filters }: { filters: SessionFilters }): ReactNode {
  const navigate = route.useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: seen = [] } = useQuery(seenAgentsQuery);
  const set = (change: Partial<Record<keyof SessionFilters, string | null>>): void =>
    void navigate({
      search: (known) =>
        Object.fromEntries(
          Object.entries({ ...known, ...change }).filter(
            ([, value]) => value !== null && value !== '',
          ),
        ),
      replace: true,
    });
  const names = [
    ...agents.map(({ _id, name }) => ({ value: _id, label: markInvisible(name) })),
    ...seen.map(({ name }) => ({ value: name, label: markInvisible(name) })),
  ];
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Agent"
        placeholder="All agents"
        data={names}
        value={filters.agent ?? null}
        onChange={(agent) => set({ agent })}
        clearable
        searchable
        size="xs"
      />
      <Select
        label="State"
        placeholder="Any"
        data={SESSION_STATES.map((value) => ({ value, label: STATE_WORDS[value] }))}
        value={filters.status ?? null}
        onChange={(status) => set({ status })}
        clearable
        size="xs"
      />
      <TextFilter
        key={`session-${filters.session === undefined}`}
        label="Session"
        placeholder="Its whole name"
        text={filters.session}
        onText={(session) => set({ session })}
        size="xs"
      />
      <TextFilter
        key={`label-${filters.label === undefined}`}
        label="Label"
        placeholder="As untrusted"
        text={filters.label}
        onText={(label) => set({ label })}
        size="xs"
      />
    </Group>
  );
}

function Earlier({ since, filters }: { since: string; filters: SessionFilters }): ReactNode {
  return (
    <Text size="sm" c="dimmed">
      Sessions with a decision since {formatToMinute(since)} are listed.{' '}
      <TextLink to="/sessions" search={{ ...filters, to: since }} size="sm">
        See earlier ones
      </TextLink>
    </Text>
  );
}

const NoSessions = ({ isFiltered }: { isFiltered: boolean }): ReactNode =>
  isFiltered ? (
    <Empty icon="filter" title="No session fits the filters">
      Remove a filter to see more.
    </Empty>
  ) : (
    <Empty icon="sessions" title="No sessions yet">
      A session appears once an agent posts a decision with a sessionId: the run or conversation
      that it belongs to.
    </Empty>
  );
