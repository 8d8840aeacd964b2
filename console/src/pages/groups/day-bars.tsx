// How many decisions a group had on each of the last days.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TrendBars } from '../../parts/charts/trend-bars.tsx';
import type { DecisionGroup } from './group-queries.ts';

const SHOWN_DAYS = 30;
const DAY_MS = 86_400_000;

/** The counts of the last thirty days, the earliest first; days without any are 0. */
export function fillDays(days: DecisionGroup['days'], now: number): number[] {
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  return Array.from({ length: SHOWN_DAYS }, (_, at) => {
    const day = new Date(now - (SHOWN_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return counts.get(day) ?? 0;
  });
}

export function DayBars({ days }: { days: DecisionGroup['days'] }): ReactNode {
  const counts = fillDays(days, Date.now());
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const label = `${total.toLocaleString('en')} in the last ${SHOWN_DAYS} days, at most ${most.toLocaleString('en')} a day`;
  return (
    <div>
      <TrendBars counts={counts} label={label} width={180} height={40} />
      <Text size="xs" c="dimmed">
        Last {SHOWN_DAYS} days
      </Text>
    </div>
  );
}
