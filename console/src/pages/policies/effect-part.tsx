// What a policy has done, or would have done: by day, what became of what it held, by whom, and examples.
import { Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Bars, type BarSeries } from '../../parts/charts/bars.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { createEffectQuery, type Effect, type Policy } from './policy-queries.ts';

const SERIES: readonly BarSeries[] = [
  { name: 'approved', label: 'Approved', color: 'var(--assay-approved)' },
  { name: 'flagged', label: 'Held', color: 'var(--assay-held)' },
  { name: 'blocked', label: 'Blocked', color: 'var(--assay-blocked)' },
  { name: 'observed', label: 'Only observed', color: 'var(--mantine-color-dimmed)' },
];

const format = (count: number): string => count.toLocaleString('en');

export function EffectPart({ policy }: { policy: Policy }): ReactNode {
  const effect = useQuery(createEffectQuery(policy.id));
  return (
    <QueryView query={effect}>
      {(found) =>
        found.days.length === 0 ? (
          <Empty icon="policies" title="It has matched nothing yet">
            {describeReach(found)} A replay shows what it would have done.
          </Empty>
        ) : (
          <Stack gap="md">
            <Matches effect={found} />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Frequencies title="Agents" names={found.agents} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 6 }}>
                <Frequencies title="Tools" names={found.tools} />
              </Grid.Col>
            </Grid>
            <Examples effect={found} />
          </Stack>
        )
      }
    </QueryView>
  );
}

function describeReach({ since }: Effect): ReactNode {
  return since === null ? (
    'Based on all decisions.'
  ) : (
    <>
      Based on the newest 10,000 decisions, since <Ago at={since} />.
    </>
  );
}

function sumDays({ days }: Effect, name: 'approved' | 'flagged' | 'blocked' | 'observed'): number {
  return days.reduce((sum, day) => sum + day[name], 0);
}

function Matches({ effect }: { effect: Effect }): ReactNode {
  const { held, days } = effect;
  const shown = SERIES.filter(({ name }) => days.some((day) => day[name as 'approved'] > 0));
  const flagged = sumDays(effect, 'flagged');
  const counts = shown.map(
    ({ name, label }) => `${label} ${format(sumDays(effect, name as 'approved'))}`,
  );
  return (
    <Paper p="md" component="section" aria-label="Matches by day">
      <Title order={2}>Matches by day</Title>
      <Text size="sm" c="dimmed" mb="sm" component="div">
        {describeReach(effect)}
      </Text>
      <Figures
        items={[
          { label: 'Held', value: format(flagged), note: describeHeld(held, flagged) },
          { label: 'Blocked', value: format(sumDays(effect, 'blocked')) },
          {
            label: 'Only observed',
            value: format(sumDays(effect, 'observed')),
            note: 'Matched without a say',
          },
          { label: 'Passed', value: format(sumDays(effect, 'approved')) },
        ]}
      />
      <Bars
        data={fillDays(days).map(({ day, ...counts }) => ({ day: day.slice(5), ...counts }))}
        nameKey="day"
        series={shown}
        label={`Matches by day: ${counts.join(', ')}`}
      />
    </Paper>
  );
}

const DAY_MS = 86_400_000;
/** Days that a chart shows at least, and at most. */
const LEAST_DAYS = 14;
const MOST_DAYS = 60;
const NO_MATCHES = { approved: 0, flagged: 0, blocked: 0, observed: 0 };

/** Every day up to today, also those without a match. */
function fillDays(days: Effect['days']): Effect['days'] {
  const today = Date.now();
  const first = Date.parse(days[0]?.day ?? '');
  const reach = Math.ceil((today - first) / DAY_MS);
  const count = Math.min(MOST_DAYS, Math.max(LEAST_DAYS, reach));
  const byDay = new Map(days.map((one) => [one.day, one]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(today - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return byDay.get(day) ?? { day, ...NO_MATCHES };
  });
}

function describeHeld({ waiting, approved, rejected, other }: Effect['held'], all: number): string {
  if (all === 0) return 'None';
  const parts = [
    [approved, 'approved'],
    [rejected, 'rejected'],
    [waiting, 'waiting'],
    [other, 'ended otherwise'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${format(count)} ${word}`)
    .join(', ');
}

function Frequencies({ title, names }: { title: string; names: Effect['tools'] }): ReactNode {
  const most = names[0]?.count ?? 1;
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {names.length === 0 && (
        <Text size="sm" c="dimmed">
          None is named.
        </Text>
      )}
      <Stack gap={6} component="ul" m={0} p={0} className="plain-list">
        {names.map(({ name, count }) => (
          <li key={name}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="clamp" dir="auto">
                {markInvisible(name)}
              </Text>
              <Text size="sm" className="numbers">
                {format(count)}
              </Text>
            </Group>
            <div
              aria-hidden
              style={{
                height: 4,
                width: `${(100 * count) / most}%`,
                background: 'var(--mantine-color-anchor)',
              }}
            />
          </li>
        ))}
      </Stack>
    </Paper>
  );
}

function Examples({ effect: { examples } }: { effect: Effect }): ReactNode {
  return (
    <DataTable
      label="Newest matches"
      rows={examples}
      toKey={({ traceId }) => traceId}
      columns={[
        {
          title: 'Decision',
          cell: ({ traceId, tools }) => (
            <RowLink to="/decisions/$traceId" params={{ traceId }}>
              {tools.length > 0 ? markInvisible(tools.join(', ')) : `${traceId.slice(0, 20)}…`}
            </RowLink>
          ),
        },
        { title: 'Agent', cell: ({ agent }) => markInvisible(agent ?? '—') },
        {
          title: 'It got',
          cell: ({ verdict, observed }) => (
            <Group gap={6} wrap="nowrap">
              <Verdict status={verdict} />
              {observed && (
                <Text span size="xs" c="dimmed">
                  observed
                </Text>
              )}
            </Group>
          ),
        },
        { title: 'Today', cell: ({ status }) => <Verdict status={status} /> },
        { title: 'When', isEnd: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
      ]}
    />
  );
}
