// Columns of counts: a list of links for a keyboard and a screen reader, a histogram for the eye.
import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import classes from './columns.module.css';

export interface ColumnItem {
  key: string;
  count: number;
  /** What it counts, for the tooltip and for a screen reader. */
  description: string;
  /** Below the column; empty: none. */
  label: string;
  tone?: 'held' | 'blocked';
}

interface Props {
  label: string;
  items: readonly ColumnItem[];
  /** The number above each column. */
  hasCounts?: boolean;
  /** A link around a column. */
  link: (item: ColumnItem, column: ReactNode) => ReactNode;
}

export function Columns({ label, items, hasCounts = false, link }: Props): ReactNode {
  const most = Math.max(1, ...items.map(({ count }) => count));
  return (
    <ul className={classes.columns} aria-label={label}>
      {items.map((item) => (
        <li key={item.key}>
          {hasCounts && (
            <span className={classes.count} aria-hidden="true">
              {item.count.toLocaleString('en')}
            </span>
          )}
          <div
            className={classes.place}
            style={{
              flexBasis: `${(80 * item.count) / most}%`,
              minBlockSize: item.count > 0 ? 2 : 0,
            }}
          >
            {link(item, <span className={classes.bar} data-tone={item.tone} />)}
          </div>
          <span className={classes.label} aria-hidden="true">
            {item.label || '\u00A0'}
          </span>
        </li>
      ))}
    </ul>
  );
}

const PlainColumn = (props: ComponentProps<'a'>): ReactNode => (
  <a {...props} className={classes.column} />
);

/** The link of a column. */
export const ColumnLink: LinkComponent<typeof PlainColumn> = createLink(PlainColumn);
