// What people corrected: whether their verdicts stood, for which reasons, of which agents, and how soon.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { Bars } from '../../parts/charts/charts.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { analyticsQuery } from './oversight-queries.ts';

type Analytics = components['schemas']['PerformanceAnalytics'];

const formatRate = (rate: number | null): string =>
  rate === null ? '—' : `${(100 * rate).toFixed(0)} %`;
const formatScore = (score: number | null): string => (score === null ? '—' : score.toFixed(2));

export function Corrections(): ReactNode {
  const query = useQuery(analyticsQuery);
  return (
    <Section title="Corrections" lead="From the newest verdicts of the last 30 days.">
      <QueryView query={query}>{(found) => <Contents found={found} />}</QueryView>
    </Section>
  );
}

function Contents({ found }: { found: Analytics }): ReactNode {
  if (found.sampleSize === 0)
    return (
      <Text size="sm" c="dimmed">
        When people reject or correct decisions, their reasons and how soon they came appear here.
      </Text>
    );
  const { sampleSize, reversed, confidence } = found;
  return (
    <>
      <Figures
        items={[
          {
            label: 'Verdicts that stood',
            value: formatRate(1 - reversed / sampleSize),
            note: `${reversed} of ${sampleSize} reversed by another person`,
          },
          {
            label: 'Confidence where they objected',
            value: formatScore(confidence.corrected),
            note: 'mean score',
          },
          {
            label: 'Confidence where they agreed',
            value: formatScore(confidence.confirmed),
            note: 'mean score',
          },
        ]}
      />
      <HowSoon found={found} />
      <Agents found={found} />
      <Reasons found={found} />
      {found.truncated && (
        <Text size="xs" c="dimmed">
          The newest 1,000 verdicts are counted; there are more.
        </Text>
      )}
    </>
  );
}

function describeSpan(underHours: number | null): string {
  if (underHours === null) return 'longer';
  return underHours < 48 ? `under ${underHours} h` : `under ${underHours / 24} d`;
}

function HowSoon({ found: { timeToCorrection } }: { found: Analytics }): ReactNode {
  const spans = timeToCorrection.map(({ underHours, count }) => ({
    span: describeSpan(underHours),
    count,
  }));
  if (spans.every(({ count }) => count === 0)) return null;
  return (
    <Bars
      data={spans}
      nameKey="span"
      height={160}
      series={[{ name: 'count', label: 'Corrections', color: 'var(--assay-chart)' }]}
      label={`Corrections by how soon they came: ${spans.map(({ span, count }) => `${span} ${count}`).join(', ')}`}
    />
  );
}

function Agents({ found: { agents } }: { found: Analytics }): ReactNode {
  return (
    <DataTable
      label="Verdicts by agent"
      isPlain
      rows={agents}
      toKey={({ agentId }) => agentId}
      columns={[
        { title: 'Agent', cell: ({ name, agentId }) => markInvisible(name ?? agentId) },
        { title: 'Judged', isEnd: true, cell: ({ judged }) => judged },
        { title: 'Overridden', isEnd: true, cell: ({ overridden }) => overridden },
        { title: 'Share', isEnd: true, cell: ({ overrideRate }) => formatRate(overrideRate) },
      ]}
    />
  );
}

function Reasons({ found: { topReasons } }: { found: Analytics }): ReactNode {
  if (topReasons.length === 0) return null;
  return (
    <DataTable
      label="Reasons"
      isPlain
      rows={topReasons}
      toKey={({ reason }) => reason}
      columns={[
        { title: 'Reason', cell: ({ reason }) => markInvisible(reason) },
        { title: 'Given', isEnd: true, cell: ({ count }) => count },
      ]}
    />
  );
}
