// The mark and the name.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Logo(): ReactNode {
  return (
    <Group gap={8} wrap="nowrap">
      <svg aria-hidden="true" width="22" height="22" viewBox="0 0 32 32" focusable="false">
        <rect width="32" height="32" rx="7" fill="var(--mantine-primary-color-filled)" />
        <path d="M9 23 16 8l7 15M12 18h8" className="logo-stroke" />
      </svg>
      <Text fw={700} size="lg">
        Assay
      </Text>
    </Group>
  );
}
