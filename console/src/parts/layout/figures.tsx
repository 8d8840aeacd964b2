// Figures side by side: a number or a word, with what it is above it.
import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Figure {
  label: string;
  value: ReactNode;
  /** A sentence below. */
  note?: ReactNode;
}

export function Figures({ figures }: { figures: readonly Figure[] }): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: figures.length }} component="dl" m={0}>
      {figures.map(({ label, value, note }) => (
        <Paper key={label} p="md">
          <Text component="dt" size="xs" c="dimmed" fw={600}>
            {label}
          </Text>
          <Text component="dd" fz="lg" fw={650} m={0} className="numbers stored-text">
            {value}
          </Text>
          {note !== undefined && (
            <Text component="dd" size="sm" c="dimmed" m={0}>
              {note}
            </Text>
          )}
        </Paper>
      ))}
    </SimpleGrid>
  );
}
