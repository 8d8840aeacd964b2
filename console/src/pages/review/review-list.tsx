// The items that wait, with deadline and priority; a box appears once an item was opened.
import { Checkbox, Group, Paper, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { describeAction } from '../../parts/decision-text.ts';
import { StoredLine } from '../../parts/text.tsx';
import { Ago, Countdown } from '../../parts/time.tsx';
import classes from './review-list.module.css';
import { parseAction, type ReviewItem } from './review-queries.ts';

const route = getRouteApi('/session/review/{-$traceId}');

interface Props {
  items: readonly ReviewItem[];
  chosen: ReviewItem;
  selected: ReadonlySet<string>;
  /** Only what was opened can be decided together with others. */
  opened: ReadonlySet<string>;
  onToggle: ((id: string) => void) | undefined;
}

const COLOURS = {
  critical: 'var(--assay-blocked)',
  high: 'var(--assay-held)',
  medium: 'dimmed',
  low: 'dimmed',
} as const;

export function ReviewList({ items, chosen, selected, opened, onToggle }: Props): ReactNode {
  const search = route.useSearch();
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen._id]);
  return (
    <Paper component="ol" aria-label="Decisions to review" className={classes.list}>
      {items.map((item) => {
        const isChosen = item === chosen;
        return (
          <li
            key={item._id}
            ref={isChosen ? current : undefined}
            data-selected={isChosen}
            className={classes.item}
          >
            <Checkbox
              size="xs"
              className={classes.box}
              aria-label={`Select the decision of ${item.agentId?.name ?? item.agentIdStr}`}
              checked={selected.has(item._id)}
              disabled={!onToggle || !opened.has(item._id)}
              title={onToggle && !opened.has(item._id) ? 'Open it first' : undefined}
              onChange={() => onToggle?.(item._id)}
            />
            <div className={classes.text}>
              <Link
                to="/review/{-$traceId}"
                params={{ traceId: item.traceId }}
                search={search}
                replace
                aria-current={isChosen ? 'true' : undefined}
                className={classes.link}
              >
                <StoredLine value={describeAction(parseAction(item))} />
              </Link>
              <Group gap={8} justify="space-between">
                <Text span size="xs" c="dimmed" className="clamp" maw="50%">
                  {item.agentId?.name ?? item.agentIdStr}
                </Text>
                <Group gap={8}>
                  <Text span size="xs" fw={600} c={COLOURS[item.priority]}>
                    {item.priority}
                  </Text>
                  {item.slaDeadline === null || item.status !== 'pending' ? (
                    <Ago at={item.createdAt} />
                  ) : (
                    <Countdown to={item.slaDeadline} />
                  )}
                </Group>
              </Group>
            </div>
          </li>
        );
      })}
    </Paper>
  );
}
