// Links among the pages of one subject, such as the settings.
import { Link, useRouterState } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import classes from './facts.module.css';

type Target = ComponentProps<typeof Link>['to'];

export interface PageTab {
  to: Target & string;
  label: string;
}

export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }): ReactNode {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  return (
    <nav aria-label={label} className={classes.tabs}>
      {tabs.map(({ to, label: name }) => (
        <Link
          key={to}
          to={to}
          className={classes.tab}
          aria-current={path === to || path.startsWith(`${to}/`) ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
