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
        curveType="linear"
        yAxisProps={{ domain: [0, 1], width: 36 }}
        xAxisProps={{ tick: false, height: 8 }}
        lineChartProps={{ accessibilityLayer: false }}
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
