// Saved views below the search line: one click searches by one.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { markInvisible } from '../../../parts/text.tsx';
import classes from './views.module.css';
import { viewsQuery } from './view-queries.ts';

interface Props {
  /** What is searched now. */
  line: string;
  onApply: (line: string) => void;
}

/** The dialog has all of them. */
const SHOWN_MAX = 8;

export function ViewsRow({ line, onApply }: Props): ReactNode {
  const { data: views = [] } = useQuery(viewsQuery);
  if (views.length === 0) return null;
  return (
    <Group gap={6} role="group" aria-label="Saved views">
      {views.slice(0, SHOWN_MAX).map(({ _id, name, query }) => (
        <Button
          key={_id}
          size="compact-sm"
          variant={query === line ? 'light' : 'default'}
          aria-pressed={query === line}
          title={markInvisible(query)}
          className={classes.view}
          onClick={() => onApply(query)}
        >
          {markInvisible(name)}
        </Button>
      ))}
    </Group>
  );
}
