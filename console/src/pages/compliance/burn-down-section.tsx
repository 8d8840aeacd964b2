// How the privacy budget burns down, as a chart and as a table for those who do not see it.
import { Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { BurnDown } from '../../parts/charts/charts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { formatToMinute } from '../../parts/time.tsx';
import { type Budget, measureBurnDown, estimateEnd } from './burn-down.ts';

const format = (amount: number): string =>
  amount.toLocaleString('en', { maximumFractionDigits: 3 });

export function BurnDownSection({ budget }: { budget: Budget }): ReactNode {
  // Of the time of the visit: a chart that creeps explains nothing.
  const [now] = useState(() => Date.now());
  const days = useMemo(() => measureBurnDown(budget, now), [budget, now]);
  const left = Math.max(0, budget.epsilonCap - budget.epsilonSpent);
  return (
    <Section title="Burn-down" lead={describePace(budget, now)}>
      <BurnDown
        days={days.map(({ day, ...rest }) => ({ day: day.slice(5), ...rest }))}
        cap={budget.epsilonCap}
        label={`Budget by day: ${format(left)} of ${format(budget.epsilonCap)} left today. A table follows.`}
      />
      <SpendTable budget={budget} />
    </Section>
  );
}

const DAY_MS = 86_400_000;

function describePace(budget: Budget, now: number): string {
  if (budget.epsilonSpent === 0)
    return 'Nothing is spent in this window. Each question takes its part off the line.';
  if (now - Date.parse(budget.windowStartedAt) < DAY_MS)
    return 'The window has just begun. After a day, its pace says how long the budget lasts.';
  const end = estimateEnd(budget, now);
  if (end !== null) return `At the pace so far, the budget ends ${formatToMinute(end)}.`;
  return budget.epsilonSpent >= budget.epsilonCap
    ? 'The budget of this window is spent.'
    : 'At the pace so far, the budget lasts until the window ends.';
}

function SpendTable({ budget: { spendByDay, epsilonCap } }: { budget: Budget }): ReactNode {
  if (spendByDay.length === 0) return null;
  let spent = 0;
  const rows = spendByDay.map(({ date, epsilon }) => {
    spent += epsilon;
    return { date, epsilon, left: Math.max(0, epsilonCap - spent) };
  });
  return (
    <VisuallyHidden>
      <table>
        <caption>
          <Text span>Spent by day</Text>
        </caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Spent</th>
            <th scope="col">Left</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ date, epsilon, left }) => (
            <tr key={date}>
              <th scope="row">{date}</th>
              <td>{format(epsilon)}</td>
              <td>{format(left)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
