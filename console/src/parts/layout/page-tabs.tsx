// Links among the pages of one subject, such as the settings.
import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import classes from './tabs.module.css';

type Target = ComponentProps<typeof Link>['to'];

export interface PageTab {
  to: Target & string;
  label: string;
  /** Pages below it have tabs of their own. */
  isExact?: boolean;
}

export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }): ReactNode {
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map(({ to, label: name, isExact = false }) => (
        <Link
          key={to}
          to={to}
          className={classes.tab}
          activeOptions={{ exact: isExact, includeSearch: false }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
