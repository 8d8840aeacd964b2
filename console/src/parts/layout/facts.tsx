// Names with their values: as rows, and as figures side by side.
import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** Rows of a name and its value; a value that is null has no row. */
export function Facts({ items }: { items: readonly Fact[] }): ReactNode {
  const shown = items.filter(([, value]) => value !== null && value !== undefined);
  if (shown.length === 0) return null;
  return (
    <dl className={classes.facts}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Figure {
  label: string;
  value: ReactNode;
  note?: ReactNode;
}

/** Large numbers, as many in a row as fit. */
export function Figures({ items }: { items: readonly Figure[] }): ReactNode {
  return (
    <dl className={classes.figures}>
      {items.map(({ label, value, note }) => (
        <Paper key={label} px="md" py="sm" className={classes.figure}>
          <dt>
            <Text span size="xs" c="dimmed">
              {label}
            </Text>
          </dt>
          <dd>
            <Text span fz={22} fw={650} lh={1.3} className="numbers">
              {value}
            </Text>
            {note !== undefined && note !== null && (
              <Text size="xs" c="dimmed" component="div">
                {note}
              </Text>
            )}
          </dd>
        </Paper>
      ))}
    </dl>
  );
}
