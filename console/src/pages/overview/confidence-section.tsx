// The distribution of confidence, with the threshold below which it is low.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../parts/layout/section.tsx';
import { formatCount } from '../../parts/words.ts';
import { ColumnLink, Columns } from './columns.tsx';
import type { OverviewData } from './overview-queries.ts';

const BIN = 0.05;

const format = (score: number): string => score.toFixed(2);

export function ConfidenceSection({ data }: { data: OverviewData }): ReactNode {
  const { bins, threshold, thresholds } = data.confidence;
  const { from, to } = data.span;
  const begin = (at: number): number => Math.round(at * BIN * 100) / 100;
  const isBelow = (at: number): boolean => begin(at + 1) <= threshold + 1e-9;
  const total = bins.reduce((sum, count) => sum + count, 0);
  const below = bins.filter((_, at) => isBelow(at)).reduce((sum, count) => sum + count, 0);
  const own = thresholds.filter((one) => one !== threshold);
  return (
    <Section title="Confidence" lead="How many decisions had which confidence score.">
      <Columns
        label="Decisions by confidence"
        items={bins.map((count, at) => ({
          key: String(at),
          count,
          label: at % 4 === 0 ? format(begin(at)) : '',
          description: `${formatCount(count, 'decision')} from ${format(begin(at))} to ${format(begin(at + 1))}`,
          ...(isBelow(at) && { tone: 'held' as const }),
        }))}
        link={(item, column) => {
          const at = Number(item.key);
          const upper = at < bins.length - 1 ? ` confidence<${format(begin(at + 1))}` : '';
          return (
            <ColumnLink
              to="/live"
              search={{ q: `confidence>=${format(begin(at))}${upper}`, from, to }}
              title={item.description}
              aria-label={item.description}
            >
              {column}
            </ColumnLink>
          );
        }}
      />
      <Group gap="xs" justify="space-between">
        <Text size="sm" c="var(--assay-held)" fw={600}>
          {total === 0 ? '—' : `${((100 * below) / total).toFixed(1)} %`} below the threshold of{' '}
          {format(threshold)}
        </Text>
        {own.length > 0 && (
          <Text size="xs" c="dimmed">
            Agents have their own: {own.slice(0, 5).map(format).join(', ')}
          </Text>
        )}
      </Group>
    </Section>
  );
}
