// Conditions with what they found: the value that each saw, and whether it held.
import { Code, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatValue, markInvisible } from '../text.tsx';
import classes from './condition-findings.module.css';

export interface ConditionFinding {
  condition: { field: string; operator: string; value: unknown; logicalOperator?: string };
  matched: boolean | null;
  /** Why it could not be evaluated. */
  error: string | null;
  /** JSON of what the field held, shortened; null: nothing. */
  actual?: string | null;
}

const OPERATORS: Readonly<Record<string, string>> = {
  equals: 'is',
  contains: 'contains',
  greater_than: 'is greater than',
  less_than: 'is less than',
  regex: 'matches',
};

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
    <Table aria-label="Conditions" layout="fixed" className={classes.findings}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Condition</Table.Th>
          <Table.Th>It saw</Table.Th>
          <Table.Th w={90}>True</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {findings.map(({ condition, matched, error, actual }, i) => (
          <Table.Tr key={i}>
            <Table.Td>
              <Stack gap={2}>
                <Code className={classes.field}>{markInvisible(condition.field)}</Code>
                <Text size="sm" className="stored-text">
                  {OPERATORS[condition.operator] ?? condition.operator}{' '}
                  {formatValue(condition.value)}
                  {condition.logicalOperator && i < findings.length - 1 && (
                    <Text span size="xs" c="dimmed" fw={600}>
                      {' '}
                      {condition.logicalOperator}
                    </Text>
                  )}
                </Text>
              </Stack>
            </Table.Td>
            <Table.Td>
              <Text size="sm" className="stored-text" ff="monospace">
                {error ?? markInvisible(actual ?? 'nothing')}
              </Text>
            </Table.Td>
            <Table.Td>
              <Held matched={matched} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
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
