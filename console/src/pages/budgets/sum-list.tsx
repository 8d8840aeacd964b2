// Sums of a limit: the fullest few, or up to a thousand of which only those in view are drawn.
import { type ReactNode, useRef } from 'react';
import { useWindowRows } from '../../parts/lists/drawn-rows.ts';
import type { Budget } from './budget-queries.ts';
import { SumRow } from './sum-row.tsx';
import classes from './sum-row.module.css';

interface Props {
  label: string;
  budget: Budget;
  at: string | undefined;
}

const FEW = 5;
const ROW_PX = 66;

export function FullestSums({ label, budget, at }: Props): ReactNode {
  return (
    <ul className={classes.list} aria-label={label}>
      {budget.sums.slice(0, FEW).map((sum) => (
        <li key={sum.traceId}>
          <SumRow budget={budget} sum={sum} at={at} />
        </li>
      ))}
    </ul>
  );
}

/** Whether `FullestSums` leaves some out. */
export const hasMoreSums = ({ sums }: Budget): boolean => sums.length > FEW;

export function AllSums({ label, budget, at }: Props): ReactNode {
  const { sums } = budget;
  const frame = useRef<HTMLUListElement>(null);
  const { height, rows } = useWindowRows(frame, {
    count: sums.length,
    rowPx: ROW_PX,
    toKey: (index) => sums[index]?.traceId,
  });
  return (
    <ul ref={frame} className={classes.list} data-virtual aria-label={label} style={{ height }}>
      {rows.map(({ index, key, place }) => {
        const sum = sums[index];
        if (!sum) return null;
        return (
          <li key={key} {...place} aria-posinset={index + 1} aria-setsize={sums.length}>
            <SumRow budget={budget} sum={sum} at={at} />
          </li>
        );
      })}
    </ul>
  );
}
