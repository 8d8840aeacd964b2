// Live: decisions as they are sealed, with filters that stand in the address.
import { Button, Group, Paper, Pill, Select, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { agentsQuery, policiesQuery, seenAgentsQuery } from '../../api/shared-queries.ts';
import { type Decision, type StreamState, useDecisionStream } from '../../parts/decision-stream.ts';
import { Icon } from '../../parts/icons.tsx';
import { TextFilter } from '../../parts/lists/text-filter.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { describeVerdict } from '../../parts/verdict.tsx';
import { formatCount } from '../../parts/words.ts';
import { DecisionList } from './decision-list.tsx';
import classes from './live-page.module.css';
import { createLiveQuery, isListed, type LiveFilters, mergeDecisions } from './live-query.ts';
import { STATUSES } from './live.route.ts';
import { SeriesChart } from './series-chart.tsx';

const route = getRouteApi('/session/live');

/** Decisions of the stream that are kept; a tab may be open for days. */
const ARRIVED_MAX = 10_000;
/** Chart and filters are taller. */
const SCROLLED_PX = 300;

export function LivePage(): ReactNode {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const list = useInfiniteQuery(createLiveQuery(filters));
  const [isPaused, setPaused] = useState(false);
  const [held, setHeld] = useState<Decision[]>([]);
  const [arrived, setArrived] = useState<Decision[]>([]);
  const state = useDecisionStream((some) => {
    const keep = isPaused || isReadingOn() ? setHeld : setArrived;
    keep((earlier) => [...some, ...earlier].slice(0, ARRIVED_MAX));
  });
  const mayLack = useRef(true);
  useEffect(() => {
    if (state !== 'open') mayLack.current = true;
    if (state !== 'open' || !list.isSuccess || isPaused || !mayLack.current) return;
    mayLack.current = false;
    // What was sealed before the stream was open is in no stream: the list is read once more.
    void queries.invalidateQueries({ queryKey: ['decisions', 'live'] });
  }, [state, list.isSuccess, isPaused, queries]);
  function showNew(): void {
    resume();
    window.scrollTo({ top: 0 });
  }
  function resume(): void {
    setArrived((earlier) => [...held, ...earlier].slice(0, ARRIVED_MAX));
    setHeld([]);
    setPaused(false);
  }
  const decisions = useMemo(
    () =>
      mergeDecisions(
        arrived.filter((decision) => isListed(decision, filters)),
        list.data?.pages ?? [],
      ),
    [arrived, filters, list.data],
  );
  // The stream brings some that the list has already.
  const heldHere = useMemo(() => {
    const heldListed = held.filter((decision) => isListed(decision, filters));
    return mergeDecisions(heldListed, [{ data: decisions }]).length - decisions.length;
  }, [held, decisions, filters]);
  return (
    <Page
      title="Live"
      lead="Decisions as they are sealed, the newest first."
      isWide
      actions={
        <>
          <StreamSign state={isPaused ? 'paused' : state} />
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name={isPaused ? 'play' : 'pause'} size={14} />}
            onClick={isPaused ? resume : () => setPaused(true)}
          >
            {isPaused ? `Resume${heldHere > 0 ? ` (${heldHere} new)` : ''}` : 'Pause'}
          </Button>
        </>
      }
    >
      <SeriesChart
        agentId={filters.agent}
        period={filters}
        onChange={(period) =>
          void navigate({ search: (known) => ({ ...known, ...period }), replace: true })
        }
      />
      <Filters filters={filters} />
      {heldHere > 0 && !isPaused && (
        <Button size="compact-sm" className={classes.new} onClick={showNew}>
          {formatCount(heldHere, 'new decision')}
        </Button>
      )}
      <QueryView query={{ ...list, data: list.data && decisions }}>
        {(found) =>
          found.length === 0 ? (
            <NothingYet filters={filters} />
          ) : (
            <DecisionList
              decisions={found}
              hasMore={list.hasNextPage && !list.isFetchingNextPage}
              onEnd={() => void list.fetchNextPage()}
            />
          )
        }
      </QueryView>
    </Page>
  );
}

/** Who has scrolled into the list keeps the rows that are there. */
const isReadingOn = (): boolean => window.scrollY > SCROLLED_PX;

const STATES = {
  connecting: { text: 'Connecting', colour: 'held' },
  open: { text: 'Live', colour: 'approved' },
  lost: { text: 'Connection lost; it is tried again', colour: 'blocked' },
  paused: { text: 'Paused', colour: 'held' },
} as const;

function StreamSign({ state }: { state: StreamState | 'paused' }): ReactNode {
  const { text, colour } = STATES[state];
  return (
    <Text size="sm" fw={600} c={`var(--assay-${colour})`} role="status">
      {text}
    </Text>
  );
}

function NothingYet({ filters }: { filters: LiveFilters }): ReactNode {
  const isFiltered = Object.keys(filters).length > 0;
  return isFiltered ? (
    <Empty icon="filter" title="No decision fits the filters">
      Take a filter away to see more.
    </Empty>
  ) : (
    <Empty icon="live" title="No decisions yet">
      Decisions appear here the moment an agent posts them. “Get started” has a command to copy.
    </Empty>
  );
}

function Filters({ filters }: { filters: LiveFilters }): ReactNode {
  const navigate = route.useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: seen = [] } = useQuery(seenAgentsQuery);
  const change = (more: LiveFilters): void =>
    void navigate({ search: (known) => ({ ...known, ...more }), replace: true });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Paper p="sm">
      <Group gap="xs" align="flex-end">
        <TextFilter
          label="Words"
          placeholder="In rationale and condition"
          text={filters.q}
          key={filters.q === undefined ? 'none' : 'some'}
          onText={(q) => change({ q: q || undefined })}
          leftSection={<Icon name="search" size={14} />}
          flex="3 1 260px"
        />
        <Select
          label="Verdict"
          placeholder="All"
          clearable
          data={STATUSES.map((value) => ({ value, label: describeVerdict(value) }))}
          value={filters.status ?? null}
          onChange={(status) => change({ status: (status as LiveFilters['status']) ?? undefined })}
          flex="1 1 130px"
          maw={{ sm: 160 }}
        />
        <Select
          label="Agent"
          placeholder="All"
          clearable
          searchable
          data={[
            ...agents.map(({ _id, name }) => ({ value: _id, label: name })),
            ...seen.map(({ name }) => ({ value: name, label: name })),
          ]}
          value={filters.agent ?? null}
          onChange={(agent) => change({ agent: agent ?? undefined })}
          flex="1 1 130px"
          maw={{ sm: 220 }}
        />
        <PolicyFilter chosen={filters.policy} onChange={(policy) => change({ policy })} />
        {filters.session !== undefined && (
          <Pill
            size="lg"
            maw="100%"
            withRemoveButton
            removeButtonProps={{ 'aria-label': 'All sessions', 'aria-hidden': false }}
            onRemove={() => change({ session: undefined })}
          >
            Session {markInvisible(filters.session)}
          </Pill>
        )}
        {isFiltered && (
          <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
            Clear
          </Button>
        )}
      </Group>
    </Paper>
  );
}

interface PolicyProps {
  /** The id of a policy. */
  chosen: string | undefined;
  onChange: (policy: string | undefined) => void;
}

/** Those on which a policy acted, or which reserved of one of its limits. */
function PolicyFilter({ chosen, onChange }: PolicyProps): ReactNode {
  const { data: policies = [] } = useQuery(policiesQuery);
  const isKnown = chosen === undefined || policies.some(({ _id }) => _id === chosen);
  return (
    <Select
      label="Policy"
      placeholder="All"
      clearable
      searchable
      data={[
        ...policies.map(({ _id, name }) => ({ value: _id, label: markInvisible(name) })),
        // One that is deleted has no name any more.
        ...(isKnown ? [] : [{ value: chosen, label: chosen }]),
      ]}
      value={chosen ?? null}
      onChange={(policy) => onChange(policy ?? undefined)}
      flex="1 1 130px"
      maw={{ sm: 220 }}
    />
  );
}
