// Sums of a limit: the fullest few, or up to a thousand of which only those in view are drawn.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
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
const AHEAD = 8;

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
  const top = frame.current?.getBoundingClientRect().top;
  const virtual = useWindowVirtualizer({
    count: sums.length,
    estimateSize: () => ROW_PX,
    overscan: AHEAD,
    scrollMargin: top === undefined ? 0 : top + window.scrollY,
    getItemKey: (index) => sums[index]?.traceId ?? index,
  });
  return (
    <ul
      ref={frame}
      className={classes.list}
      data-virtual
      aria-label={label}
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, start, key }) => {
        const sum = sums[index];
        if (!sum) return null;
        return (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={sums.length}
            style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
          >
            <SumRow budget={budget} sum={sum} at={at} />
          </li>
        );
      })}
    </ul>
  );
}
