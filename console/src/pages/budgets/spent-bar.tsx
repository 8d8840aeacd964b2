// How much of a limit is spent, as a bar: what is settled is filled, what no outcome has settled is hatched.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatAmount } from '../../parts/limits/limit-words.ts';
import type { BudgetSum } from './budget-queries.ts';
import classes from './spent-bar.module.css';

interface Props {
  /** What the sum is of. */
  label: string;
  sum: Pick<BudgetSum, 'spent' | 'open' | 'left'>;
  most: number;
}

/** The share from which on little is left. */
const NEAR = 0.8;

function describeSpent({ spent, open }: Props['sum'], most: number): string {
  const sum = `${formatAmount(spent)} of ${formatAmount(most)} spent`;
  if (open <= 0) return sum;
  return open < spent ? `${sum}, ${formatAmount(open)} of it not settled` : `${sum}, not settled`;
}

function readFullness({ spent, left }: Props['sum'], most: number): 'full' | 'near' | 'free' {
  if (left <= 0) return 'full';
  return spent >= NEAR * most ? 'near' : 'free';
}

export function SpentBar({ label, sum, most }: Props): ReactNode {
  const { spent, open } = sum;
  const all = Math.max(most, spent);
  const toShare = (amount: number): string => `${all === 0 ? 0 : (100 * amount) / all}%`;
  const text = describeSpent(sum, most);
  return (
    <div className={classes.spent}>
      <div
        role="meter"
        aria-label={`Spent: ${label}`}
        aria-valuemin={0}
        aria-valuenow={spent}
        aria-valuemax={all}
        aria-valuetext={text}
        className={classes.bar}
        data-fullness={readFullness(sum, most)}
      >
        <div className={classes.settled} style={{ width: toShare(Math.max(0, spent - open)) }} />
        <div className={classes.open} style={{ width: toShare(Math.min(spent, open)) }} />
      </div>
      <Text size="sm" className={`numbers ${classes.text}`}>
        {text}
      </Text>
    </div>
  );
}

/** What the looks of the bars mean. */
export function BarLegend(): ReactNode {
  return (
    <ul className={classes.legend} aria-label="Parts of the bars">
      {(['settled', 'open'] as const).map((part) => (
        <li key={part}>
          <span aria-hidden className={classes[part]} />
          <Text span size="xs" c="dimmed">
            {part === 'settled' ? 'Settled by an outcome' : 'Reserved, not settled yet'}
          </Text>
        </li>
      ))}
    </ul>
  );
}
