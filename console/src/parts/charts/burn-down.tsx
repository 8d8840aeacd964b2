// What is left of a budget from day to day, beside the even pace that would last until the window ends.
import { LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { ReactNode } from 'react';

export interface BurnDay {
  /** As it is written on the axis. */
  day: string;
  /** Null: the day is still to come. */
  left: number | null;
  even: number;
}

/** With more of them, the line is enough. */
const MOST_DOTS = 40;

interface Props {
  days: readonly BurnDay[];
  cap: number;
  label: string;
}

export function BurnDown({ days, cap, label }: Props): ReactNode {
  return (
    <div role="img" aria-label={label}>
      <LineChart
        h={220}
        data={days as BurnDay[]}
        dataKey="day"
        withLegend
        curveType="linear"
        connectNulls={false}
        lineProps={({ name }) => ({
          strokeWidth: name === 'left' ? 2.5 : 1,
          dot: name === 'left' && days.length <= MOST_DOTS ? { r: 3 } : false,
          isAnimationActive: false,
        })}
        yAxisProps={{
          domain: [0, cap],
          ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => part * cap),
          interval: 0,
          width: 44,
        }}
        xAxisProps={{ minTickGap: 32 }}
        lineChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        valueFormatter={(value) => value.toLocaleString('en', { maximumFractionDigits: 2 })}
        series={[
          { name: 'left', label: 'Left (ε)', color: 'var(--assay-chart)' },
          {
            name: 'even',
            label: 'Even pace',
            color: 'var(--assay-chart-quiet)',
            strokeDasharray: '4 4',
          },
        ]}
      />
    </div>
  );
}
