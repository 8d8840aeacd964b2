// The confidence of decisions in their order, with the threshold below which an agent's decisions are held.
import { LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { ReactNode } from 'react';

export interface Point {
  /** Place in the order, from 1. */
  index: number;
  score: number;
  mean: number;
}

interface Props {
  points: readonly Point[];
  threshold: number | null;
  label: string;
}

export function LineOfScores({ points, threshold, label }: Props): ReactNode {
  return (
    <div role="img" aria-label={label}>
      <LineChart
        h={200}
        data={points as Point[]}
        dataKey="index"
        withDots={false}
        lineProps={({ name }) => ({ strokeWidth: name === 'mean' ? 2.5 : 1 })}
        curveType="linear"
        yAxisProps={{ domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], interval: 0, width: 36 }}
        xAxisProps={{ tick: false, height: 12 }}
        lineChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        valueFormatter={(value) => value.toFixed(2)}
        series={[
          { name: 'score', label: 'Confidence', color: 'var(--assay-chart-quiet)' },
          { name: 'mean', label: 'Mean of 20', color: 'var(--assay-chart)' },
        ]}
        {...(threshold !== null && {
          referenceLines: [{ y: threshold, label: 'Threshold', color: 'var(--assay-held)' }],
        })}
      />
    </div>
  );
}
