// A list of what acted most: name, course, counts, and how the first of them differs from the span before.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TrendBars } from '../../../parts/charts/trend-bars.tsx';
import { formatChange } from '../period.ts';
import classes from './top-list.module.css';

interface Totals {
  count: number;
  held: number;
  blocked: number;
}

export interface TopRow extends Totals {
  key: string;
  name: string;
  shown: ReactNode;
  before: Totals;
  /** Counts over time; absent: there is no course. */
  points?: readonly number[];
}

interface Props {
  label: string;
  /** What is listed, and what is counted. */
  titles: readonly [name: string, count: string];
  rows: readonly TopRow[];
}

export function TopList({ label, titles, rows }: Props): ReactNode {
  const hasCourse = rows.some(({ points }) => points !== undefined);
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{titles[0]}</th>
          {hasCourse && (
            <th scope="col" className={classes.course}>
              Course
            </th>
          )}
          <th scope="col" className={classes.first}>
            {titles[1]}
          </th>
          <th scope="col" className={classes.number}>
            Held
          </th>
          <th scope="col" className={classes.number}>
            Blocked
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { row: TopRow }): ReactNode {
  const { name, shown, count, held, blocked, before, points } = row;
  return (
    <tr>
      <td>
        <span className={classes.name}>{shown}</span>
      </td>
      {points && (
        <td className={classes.course}>
          <TrendBars counts={points} label={`Course of ${name}`} />
        </td>
      )}
      <td className={classes.first}>
        <span className="numbers">{count.toLocaleString('en')}</span>
        <Text size="xs" c="dimmed" className="numbers">
          {formatChange(count, before.count)}
        </Text>
      </td>
      <td className={`${classes.number} numbers`}>{held.toLocaleString('en')}</td>
      <td className={`${classes.number} numbers`}>{blocked.toLocaleString('en')}</td>
    </tr>
  );
}
