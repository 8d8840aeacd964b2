// The overview: what happened in a period against the one before, as pictures that lead to the decisions behind them.
import { Button, Grid, SimpleGrid, Stack, Text } from '@mantine/core';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ButtonLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { formatCount } from '../../parts/words.ts';
import { ConfidenceSection } from './confidence-section.tsx';
import { FlowSection } from './flow/flow-section.tsx';
import { TopAgents, TopPolicies, TopTools } from './lists/top-lists.tsx';
import { OverviewFigures } from './overview-figures.tsx';
import { createOverviewQuery, type OverviewData } from './overview-queries.ts';
import { findPeriodProblem, type PeriodSearch } from './period.ts';
import { PeriodChoice } from './period-choice.tsx';
import { QueueSection } from './queue-section.tsx';
import { WeekMap } from './week-map.tsx';

const route = getRouteApi('/session/overview');

export function OverviewPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const overview = useQuery(createOverviewQuery(search));
  const isShown = findPeriodProblem(search, Date.now()) === null;
  return (
    <Page
      title="Overview"
      lead={<Lead span={overview.data?.span} />}
      actions={
        <>
          <Refresh />
          <PeriodChoice
            search={search}
            onChange={(chosen) => void navigate({ search: chosen, replace: true })}
          />
        </>
      }
    >
      {isShown && (
        <QueryView query={overview}>{(data) => <Parts data={data} search={search} />}</QueryView>
      )}
    </Page>
  );
}

function Lead({ span }: { span: OverviewData['span'] | undefined }): ReactNode {
  if (!span) return 'What agents did, what was held, and what became of it.';
  const behind =
    span.behind > 100 ? ` ${formatCount(span.behind, 'newer entry')} not counted yet.` : '';
  return `${formatUtc(span.from)} to ${formatUtc(span.to)}, in whole ${span.unit}s of UTC.${behind}`;
}

const utc = new Intl.DateTimeFormat('en', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});
const formatUtc = (at: string): string => utc.format(new Date(at));

function Refresh(): ReactNode {
  const queries = useQueryClient();
  const isReading = useIsFetching({ queryKey: ['overview'] }) > 0;
  return (
    <Button
      variant="default"
      size="xs"
      loading={isReading}
      onClick={() => void queries.invalidateQueries({ queryKey: ['overview'] })}
    >
      Refresh
    </Button>
  );
}

function Parts({ data, search }: { data: OverviewData; search: PeriodSearch }): ReactNode {
  const { approved, flagged, blocked } = data.decisions;
  const hasDecisions = approved + flagged + blocked > 0;
  return (
    <Stack gap="md">
      <OverviewFigures data={data} period={search.period ?? '7d'} />
      {hasDecisions ? <Pictures data={data} search={search} /> : <Nothing data={data} />}
    </Stack>
  );
}

function Nothing({ data }: { data: OverviewData }): ReactNode {
  return (
    <>
      <Empty
        icon="live"
        title="No decisions in this period"
        action={
          <ButtonLink to="/start" size="xs" variant="default">
            Get started
          </ButtonLink>
        }
      >
        Charts of what agents do appear here. Choose a longer period, or post a decision.
      </Empty>
      {data.queue.waiting > 0 && <QueueSection queue={data.queue} />}
    </>
  );
}

function Pictures({ data, search }: { data: OverviewData; search: PeriodSearch }): ReactNode {
  const { span } = data;
  return (
    <>
      <FlowSection search={search} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <QueueSection queue={data.queue} />
        <ConfidenceSection data={data} />
      </SimpleGrid>
      <WeekMap week={data.week} span={span} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <TopPolicies data={data} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="md">
            <TopTools data={data} />
            <TopAgents data={data} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Text size="xs" c="dimmed">
        Live shows decisions by where they stand today: one that was held may be approved by now.
        Compared with the span that began {formatUtc(span.before)} UTC.
      </Text>
    </>
  );
}
