// The index: how often people agreed with the verdicts of the last 30 days, and its parts.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { Bars } from '../../parts/charts/charts.tsx';
import { Figures } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { QueryView } from '../../parts/states.tsx';
import { formatCount } from '../../parts/words.ts';
import { indexQuery } from './oversight-queries.ts';

type Index = components['schemas']['PerformanceIndex'];

const formatRate = (rate: number | null): string =>
  rate === null ? '—' : `${(100 * rate).toFixed(1)} %`;

const SERIES = [
  {
    name: 'correctFlags',
    label: 'Held, then rejected or corrected',
    color: 'var(--assay-approved)',
  },
  { name: 'falseFlags', label: 'Held, then approved', color: 'var(--assay-held)' },
  { name: 'misses', label: 'Let pass wrongly', color: 'var(--assay-blocked)' },
];

export function Agreement(): ReactNode {
  const index = useQuery(indexQuery);
  return (
    <Section
      title="Agreement"
      lead="How often people agreed with the verdicts of the last 30 days."
    >
      <QueryView query={index}>{(found) => <Parts index={found} />}</QueryView>
    </Section>
  );
}

function Parts({ index }: { index: Index }): ReactNode {
  const { score, sampleSize, minimumSample, judged } = index;
  return (
    <>
      <Figures
        items={[
          {
            label: 'Index',
            value: score === null ? '—' : score.toFixed(0),
            note: score === null ? `needs ${minimumSample} reviews` : 'of 100',
          },
          { label: 'Judged by people', value: sampleSize },
          {
            label: 'Held, then rejected or corrected',
            value: formatRate(index.correctFlagRate),
            note: formatCount(judged.correctFlags, 'decision'),
          },
          {
            label: 'Held, then approved',
            value: formatRate(index.falseFlagRate),
            note: `${formatCount(judged.falseFlags, 'decision')}; an approval does not say that the look was needless`,
          },
          { label: 'Overridden', value: formatRate(index.humanOverrideRate) },
        ]}
      />
      {sampleSize > 0 ? (
        <Bars
          data={index.trend.map(({ date, correctFlags, falseFlags, misses }) => ({
            date: date.slice(5),
            correctFlags,
            falseFlags,
            misses,
          }))}
          nameKey="date"
          series={SERIES}
          label={`Judged decisions by day: ${judged.correctFlags} held, then rejected or corrected, ${judged.falseFlags} held, then approved, ${judged.misses} let pass wrongly`}
        />
      ) : (
        <Text size="sm" c="dimmed">
          When people decide held decisions or correct others, the days appear here.
        </Text>
      )}
    </>
  );
}
