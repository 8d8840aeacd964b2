// A titled part of a page, with what can be done there.
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  /** One sentence that says what it is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, lead, actions, children }: Props): ReactNode {
  return (
    <Paper p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} maw={640}>
            <Title order={2}>{title}</Title>
            {lead !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {lead}
              </Text>
            )}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
