// What was used of the plan, the index of the verdicts, and what is paid.
import { Alert, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { Bars } from '../../parts/charts/charts.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryView } from '../../parts/states.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { indexQuery } from '../oversight/oversight-queries.ts';
import { BillingSection } from './billing-section.tsx';

type Usage = components['schemas']['Usage'];

const format = (count: number): string => count.toLocaleString('en');

export function UsagePage(): ReactNode {
  const usage = useQuery({
    queryKey: ['usage'],
    queryFn: () => readData(api.GET('/api/v1/usage/current')),
  });
  return (
    <Page
      title="Usage"
      lead="Decisions of this month, and how often people agreed with the verdicts."
    >
      <Stack gap="md">
        <QueryView query={usage}>
          {(found) => (
            <>
              <Month usage={found} />
              <Spans spans={found.spans} />
            </>
          )}
        </QueryView>
        <History />
        <Index />
        <BillingSection />
      </Stack>
    </Page>
  );
}

const COLOURS = {
  ok: 'var(--assay-chart)',
  warning: 'var(--assay-held)',
  exceeded: 'var(--assay-blocked)',
} as const;

function Month({ usage }: { usage: Usage }): ReactNode {
  const { limit, thisMonth, percentUsed, resetDate, status } = usage;
  // Rounded days may come to less than there is already.
  const projected = Math.max(usage.projectedMonthly, thisMonth);
  return (
    <>
      {status !== 'ok' && (
        <Alert variant="outline" color={status === 'exceeded' ? 'red' : 'yellow'}>
          {status === 'exceeded'
            ? 'The allowance of this month is spent.'
            : 'Nine tenths of this month’s allowance are spent.'}
        </Alert>
      )}
      <Figures
        items={[
          {
            label: 'This month',
            value: format(thisMonth),
            note: limit === null ? 'no limit' : `of ${format(limit)}`,
          },
          { label: 'Today', value: format(usage.today) },
          { label: 'A day, on average', value: format(usage.dailyAverage) },
          {
            label: 'Projected for the month',
            value: format(projected),
            note: limit === null ? undefined : describeProjection(projected, limit),
          },
          { label: 'Since the beginning', value: format(usage.totalAllTime) },
        ]}
      />
      {limit !== null && (
        <Stack gap={4}>
          <Progress
            size="lg"
            value={Math.min(100, percentUsed)}
            color={COLOURS[status]}
            aria-label="Used share of the allowance"
          />
          <Text size="xs" c="dimmed">
            {percentUsed.toFixed(1)} % used. It begins again {formatToMinute(resetDate)}.
          </Text>
        </Stack>
      )}
    </>
  );
}

const describeProjection = (projected: number, limit: number): string =>
  projected > limit ? `${format(projected - limit)} beyond the plan` : 'within the plan';

function Spans({ spans }: { spans: Usage['spans'] }): ReactNode {
  if (spans.length === 0) return null;
  return (
    <Section
      title="Spans of OpenTelemetry"
      lead="Of this month, by dialect. Calls that are recorded were done without asking first."
    >
      <DataTable
        label="Spans"
        isPlain
        rows={spans}
        toKey={({ dialect }) => dialect}
        columns={[
          { title: 'Dialect', cell: ({ dialect }) => dialect },
          { title: 'Recorded', isEnd: true, cell: ({ recorded }) => format(recorded) },
          { title: 'Asked for', isEnd: true, cell: ({ linked }) => format(linked) },
          {
            title: 'Without arguments',
            isEnd: true,
            cell: ({ withoutArguments }) => format(withoutArguments),
          },
          { title: 'Not read', isEnd: true, cell: ({ unmapped }) => format(unmapped) },
          { title: 'Rejected', isEnd: true, cell: ({ rejected }) => format(rejected) },
        ]}
      />
    </Section>
  );
}

function History(): ReactNode {
  const history = useQuery({
    queryKey: ['usage', 'history'],
    queryFn: () => readData(api.GET('/api/v1/usage/history')),
  });
  return (
    <Section title="Months">
      <QueryView query={history}>
        {(months) => (
          <Bars
            data={months.map(({ label, count }) => ({ label, count }))}
            nameKey="label"
            series={[{ name: 'count', label: 'Decisions', color: 'var(--assay-chart)' }]}
            label={`Decisions by month: ${months.map(({ label, count }) => `${label} ${count}`).join(', ')}`}
          />
        )}
      </QueryView>
    </Section>
  );
}

function Index(): ReactNode {
  const index = useQuery(indexQuery);
  return (
    <Section
      title="Index"
      lead="How often people agreed with the verdicts of the last 30 days."
      actions={
        <ButtonLink to="/oversight" variant="default" size="xs">
          Its parts
        </ButtonLink>
      }
    >
      <QueryView query={index}>
        {({ score, sampleSize, minimumSample }) => (
          <Text size="sm">
            {score === null
              ? `None yet: it needs ${minimumSample} reviews. There are ${sampleSize}.`
              : `${score.toFixed(0)} of 100, from ${format(sampleSize)} judged decisions`}
          </Text>
        )}
      </QueryView>
    </Section>
  );
}
