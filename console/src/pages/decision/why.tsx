// Why the verdict: the policy that decided, and how it judges this decision condition by condition.
import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Decision } from '../../parts/decision-stream.ts';
import { describeVerdict } from '../../parts/verdict.tsx';

export function Why({ decision }: { decision: Decision }): ReactNode {
  const { matchedPolicy, status } = decision;
  return (
    <Paper p="md" component="section" aria-label="Why">
      <Title order={2} mb="xs">
        Why
      </Title>
      {matchedPolicy ? (
        <Stack gap={2}>
          <Text size="sm" fw={600}>
            {matchedPolicy.name}
          </Text>
          <Text size="sm">{matchedPolicy.reason}</Text>
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          {describeVerdict(status)}: no policy stopped it.
        </Text>
      )}
    </Paper>
  );
}
