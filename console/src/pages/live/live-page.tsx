// Live: decisions as they are sealed, searched by a line that stands in the address.
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { StreamState } from '../../parts/decision-stream.ts';
import { Icon } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { parseLine, type SearchPart } from '../../parts/search/search-line.ts';
import { addParts, removeFields } from '../../parts/search/search-slots.ts';
import type { TraceFilters } from '../../parts/search/trace-filters.ts';
import { useTranslation } from '../../parts/search/use-translation.ts';
import { Empty, QueryView } from '../../parts/states.tsx';
import { formatCount } from '../../parts/words.ts';
import { DecisionList } from './decision-list.tsx';
import { ExportButton } from './export-button.tsx';
import { QueryLine } from './line/query-line.tsx';
import { readAddress, toAddress } from './line-address.ts';
import classes from './live-page.module.css';
import type { Period } from './series-chart.tsx';
import { useLiveList } from './use-live-list.ts';
import { ViewsButton } from './views/views-button.tsx';
import { ViewsRow } from './views/views-row.tsx';

/** Its handles are large: the list comes first. */
const SeriesChart = lazy(async () => ({
  default: (await import('./series-chart.tsx')).SeriesChart,
}));
const route = getRouteApi('/session/live');

export function LivePage(): ReactNode {
  const line = readAddress(route.useSearch());
  const navigate = route.useNavigate();
  const parts = useMemo(() => parseLine(line), [line]);
  const { filters, faults, isWaiting, error } = useTranslation(parts);
  const isSound = faults.size === 0;
  const searched = isSound && !isWaiting ? filters : null;
  const { list, decisions, heldHere, unsearched, ...arrivals } = useLiveList(searched);
  const change = (next: readonly SearchPart[]): void =>
    void navigate({ search: toAddress(next), replace: true });
  function showNew(): void {
    arrivals.resume();
    window.scrollTo({ top: 0 });
  }
  return (
    <Page
      title="Live"
      lead="Decisions as they are sealed, the newest first."
      isWide
      actions={<StreamActions {...arrivals} count={heldHere} />}
    >
      <Suspense fallback={<Paper mih={132} />}>
        <SeriesChart
          agent={filters.agentId}
          period={toPeriod(filters)}
          onChange={(period) => change(withPeriod(parts, period))}
        />
      </Suspense>
      <Stack gap="xs">
        <div className={classes.search}>
          <QueryLine parts={parts} faults={faults} onChange={change} />
          <Group gap="xs" className="wide-buttons">
            <ViewsButton line={line} onApply={(view) => change(parseLine(view))} />
            <ExportButton filters={searched} />
          </Group>
        </div>
        <ViewsRow line={line} onApply={(view) => change(parseLine(view))} />
      </Stack>
      {heldHere > 0 && !arrivals.isPaused && (
        <Button size="compact-sm" className={classes.new} onClick={showNew}>
          {formatCount(heldHere, 'new decision')}
        </Button>
      )}
      {unsearched > 0 && !arrivals.isPaused && (
        <Button
          size="compact-sm"
          className={classes.new}
          loading={list.isFetching}
          onClick={() => void list.refetch()}
        >
          {formatCount(unsearched, 'decision')} since: search again
        </Button>
      )}
      {isSound ? (
        <QueryView query={{ ...list, error: list.error ?? error, data: list.data && decisions }}>
          {(found) =>
            found.length === 0 ? (
              <NothingYet isSearched={parts.length > 0} />
            ) : (
              <DecisionList
                decisions={found}
                hasMore={list.hasNextPage && !list.isFetchingNextPage}
                onEnd={() => void list.fetchNextPage()}
              />
            )
          }
        </QueryView>
      ) : (
        <Empty icon="filter" title="The line cannot be searched yet">
          Correct what is marked, or remove it.
        </Empty>
      )}
    </Page>
  );
}

const toPeriod = ({ dateFrom: from, dateTo: to }: TraceFilters): Period => ({ from, to });

/** The line with another period in place of its own. */
function withPeriod(parts: readonly SearchPart[], { from, to }: Period): SearchPart[] {
  const ends = [from !== undefined && `since:${from}`, to !== undefined && `until:${to}`];
  return addParts(
    removeFields(parts, ['since', 'until']),
    parseLine(ends.filter(Boolean).join(' ')),
  );
}

const STATES = {
  connecting: { text: 'Connecting', colour: 'held' },
  open: { text: 'Live', colour: 'approved' },
  lost: { text: 'Connection lost; it is tried again', colour: 'blocked' },
  paused: { text: 'Paused', colour: 'held' },
} as const;

interface StreamProps {
  state: StreamState;
  isPaused: boolean;
  /** New decisions that are not shown yet. */
  count: number;
  pause: () => void;
  resume: () => void;
}

function StreamActions({ state, isPaused, count, pause, resume }: StreamProps): ReactNode {
  const { text, colour } = STATES[isPaused ? 'paused' : state];
  return (
    <>
      <Text size="sm" fw={600} c={`var(--assay-${colour})`} role="status">
        {text}
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name={isPaused ? 'play' : 'pause'} size={14} />}
        onClick={isPaused ? resume : pause}
      >
        {isPaused ? `Resume${count > 0 ? ` (${count} new)` : ''}` : 'Pause'}
      </Button>
    </>
  );
}

function NothingYet({ isSearched }: { isSearched: boolean }): ReactNode {
  return isSearched ? (
    <Empty icon="filter" title="No decision fits the filters">
      Remove a filter to see more.
    </Empty>
  ) : (
    <Empty icon="live" title="No decisions yet">
      Decisions appear here the moment an agent posts them. “Get started” has a command to copy.
    </Empty>
  );
}
