// How long what is held now has waited.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { formatCount } from '../../parts/words.ts';
import { type ColumnItem, ColumnLink, Columns } from './columns.tsx';
import type { OverviewData } from './overview-queries.ts';

type Queue = OverviewData['queue'];

export function QueueSection({ queue }: { queue: Queue }): ReactNode {
  return (
    <Section
      title="Age of the queue"
      lead="How long what is held now has waited."
      actions={
        <TextLink to="/review/{-$traceId}" size="sm">
          Review queue
        </TextLink>
      }
    >
      {queue.waiting === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing waits for a person.
        </Text>
      ) : (
        <>
          <Columns
            label="Held decisions by how long they have waited"
            hasCounts
            items={queue.ages.map((_, at) => toItem(queue.ages, at))}
            link={(item, column) => (
              <ColumnLink
                to="/review/{-$traceId}"
                title={item.description}
                aria-label={item.description}
              >
                {column}
              </ColumnLink>
            )}
          />
          {queue.overdue > 0 && (
            <Text size="sm" c="var(--assay-blocked)" fw={600}>
              {formatCount(queue.overdue, 'decision')} past the deadline
            </Text>
          )}
        </>
      )}
    </Section>
  );
}

const describeHours = (hours: number): string => (hours < 24 ? `${hours} h` : `${hours / 24} d`);

function toItem(ages: Queue['ages'], at: number): ColumnItem {
  const { underHours = null, count = 0 } = ages[at] ?? {};
  const over = ages[at - 1]?.underHours ?? null;
  const label =
    underHours === null ? `> ${describeHours(over ?? 0)}` : `< ${describeHours(underHours)}`;
  const description = `${formatCount(count, 'decision')} waited ${label.replace('<', 'less than').replace('>', 'more than')}`;
  // A day is long for an agent that waits, a week is as good as forgotten.
  const isLate = over !== null && over >= 24;
  const isForgotten = over !== null && over >= 72;
  const tone = isForgotten ? ('blocked' as const) : ('held' as const);
  return { key: String(underHours), count, label, description, ...(isLate && { tone }) };
}
