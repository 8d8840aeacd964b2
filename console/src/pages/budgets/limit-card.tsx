// A limit of a policy: in words, with its sums.
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { describeLimit } from '../../parts/limits/limit-words.ts';
import { TextLink } from '../../parts/links.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatCount } from '../../parts/words.ts';
import type { Budget, BudgetFilters } from './budget-queries.ts';
import { AllSums, FullestSums, hasMoreSums } from './sum-list.tsx';

interface Props {
  budget: Budget;
  filters: BudgetFilters;
}

export function LimitCard({ budget, filters }: Props): ReactNode {
  const { policyId, name, enabled, sums } = budget;
  const { policy, at } = filters;
  const words = markInvisible(describeLimit(budget));
  const label = `${markInvisible(name)}: ${words}`;
  const isWhole = policy !== undefined;
  const Sums = isWhole ? AllSums : FullestSums;
  return (
    <Paper p="md" component="section" aria-label={label}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={2} miw={0} maw={760}>
            <Group gap="xs">
              <Title order={2} className="stored-text">
                <TextLink to="/policies/$policyId" params={{ policyId }} inherit>
                  {markInvisible(name)}
                </TextLink>
              </Title>
              {!enabled && <Badge color="gray">Off: it limits nothing now</Badge>}
            </Group>
            <Text size="sm" className="stored-text">
              {words}
            </Text>
          </Stack>
          <Text size="sm" c="dimmed" component="div" className="numbers">
            {isWhole && sums.length > 0 && `${formatCount(sums.length, 'sum')} `}
            {hasMoreSums(budget) && !isWhole && (
              <TextLink to="/budgets" search={{ ...filters, policy: policyId }} size="sm">
                All sums
              </TextLink>
            )}
          </Text>
        </Group>
        {sums.length === 0 ? (
          <Text size="sm" c="dimmed">
            {at === undefined ? 'Nothing is spent of it yet.' : 'Nothing was spent of it by then.'}
          </Text>
        ) : (
          <Sums label={`Sums of ${label}`} budget={budget} at={at} />
        )}
      </Stack>
    </Paper>
  );
}
