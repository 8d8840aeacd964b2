// Counts as bars, in one series or stacked.
import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import type { ReactNode } from 'react';

export interface BarSeries {
  name: string;
  label: string;
  color: string;
}

interface Props {
  data: Record<string, string | number>[];
  /** Member that names a bar. */
  nameKey: string;
  series: readonly BarSeries[];
  /** What a screen reader says; the numbers stand in a table or in the text beside. */
  label: string;
  height?: number;
}

export function Bars({ data, nameKey, series, label, height = 200 }: Props): ReactNode {
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        data={data}
        dataKey={nameKey}
        type="stacked"
        withLegend={series.length > 1}
        series={series.map((one) => ({ ...one }))}
        yAxisProps={{ width: 44, allowDecimals: false }}
        // Every third month, say; never three of them and then a gap.
        xAxisProps={{ interval: 'equidistantPreserveStart' }}
        barChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        barProps={{ isAnimationActive: false }}
        valueFormatter={(value) => value.toLocaleString('en')}
      />
    </div>
  );
}
