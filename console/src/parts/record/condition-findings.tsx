// Conditions with what they found: the value that each saw, and whether it held.
import { Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../lists/data-table.tsx';
import { formatValue, markInvisible } from '../text.tsx';
import { describeOperator, readListName } from './condition-words.ts';
import classes from './condition-findings.module.css';

export interface ConditionFinding {
  condition: {
    field: string;
    operator: string;
    value: unknown;
    not?: true;
    logicalOperator?: string;
  };
  matched: boolean | null;
  /** Why it could not be evaluated. */
  error: string | null;
  /** JSON of what the field held, shortened; null: nothing. */
  actual?: string | null;
}

export function ConditionFindings({
  findings,
}: {
  findings: readonly ConditionFinding[];
}): ReactNode {
  if (findings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It has no condition: it matches every decision.
      </Text>
    );
  return (
    <DataTable
      label="Conditions"
      isPlain
      rows={findings.map((finding, index) => ({ ...finding, index }))}
      toKey={({ index }) => String(index)}
      columns={[
        {
          title: 'Condition',
          cell: ({ condition, index }) => (
            <Stated condition={condition} isLast={index === findings.length - 1} />
          ),
        },
        {
          title: 'It saw',
          cell: ({ error, actual }) => (
            <Text size="sm" className="stored-text" ff="monospace" miw={{ sm: 160 }}>
              {error ?? markInvisible(actual ?? 'nothing')}
            </Text>
          ),
        },
        { title: 'True', cell: ({ matched }) => <Held matched={matched} /> },
      ]}
    />
  );
}

interface StatedProps {
  condition: ConditionFinding['condition'];
  isLast: boolean;
}

function Stated({ condition, isLast }: StatedProps): ReactNode {
  const { field, operator, value, not: isNegated, logicalOperator } = condition;
  const list = readListName(value);
  return (
    <Stack gap={2}>
      <Code className={classes.field}>{markInvisible(field)}</Code>
      <Text size="sm" className="stored-text">
        {describeOperator(operator, isNegated === true)}{' '}
        {list === null ? formatValue(value) : `the list ${markInvisible(list)}`}
        {logicalOperator && !isLast && (
          <Text span size="xs" c="dimmed" fw={600}>
            {' '}
            {logicalOperator}
          </Text>
        )}
      </Text>
    </Stack>
  );
}

function Held({ matched }: { matched: boolean | null }): ReactNode {
  if (matched === null)
    return (
      <Text size="sm" c="var(--assay-held)" fw={600}>
        unknown
      </Text>
    );
  return (
    <Group gap={4}>
      <Text size="sm" fw={600} c={matched ? undefined : 'dimmed'}>
        {matched ? 'yes' : 'no'}
      </Text>
    </Group>
  );
}
