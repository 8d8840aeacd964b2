// A table of records; on a phone each record is a card with its names and values.
import { Paper, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<R> {
  title: string;
  cell: (row: R) => ReactNode;
  /** Numbers and times end where the column ends. */
  isEnd?: boolean;
  /** Its words are short, and never broken. */
  isShort?: boolean;
  /** The title is for screen readers alone, as of a column of buttons. */
  isTitleHidden?: boolean;
}

interface Props<R> {
  label: string;
  rows: readonly R[];
  toKey: (row: R) => string;
  columns: readonly Column<R>[];
  /** In a section, which has a border already. */
  isPlain?: boolean;
  /** Columns are as wide as each other, so that tables below each other line up. */
  isEven?: boolean;
}

export function DataTable<R>(props: Props<R>): ReactNode {
  const { label, rows, toKey, columns, isPlain = false, isEven = false } = props;
  const table = (
    <table
      aria-label={label}
      role="table"
      data-even={isEven}
      data-plain={isPlain}
      className={classes.table}
    >
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, isEnd, isTitleHidden }) => (
            <th key={title} role="columnheader" scope="col" data-end={isEnd}>
              {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={toKey(row)} role="row">
            {columns.map((column) => (
              <Cell key={column.title} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  return isPlain ? table : <Paper className={classes.frame}>{table}</Paper>;
}

function Cell<R>({ column, row }: { column: Column<R>; row: R }): ReactNode {
  const { title, cell, isEnd, isShort, isTitleHidden } = column;
  const content = cell(row);
  return (
    <td
      role="cell"
      data-end={isEnd}
      data-short={isShort}
      data-text={typeof content === 'string' || typeof content === 'number'}
      data-title={isTitleHidden ? undefined : title}
    >
      {content}
    </td>
  );
}

/** Buttons of a row, above the link that the row is. */
export function RowActions({ children }: { children: ReactNode }): ReactNode {
  return <div className={classes.actions}>{children}</div>;
}
