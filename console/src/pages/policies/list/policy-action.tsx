// What a policy does, in the looks of the verdict that it leads to.
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { lookUpVerdict, Mark } from '../../../parts/verdict.tsx';

export function PolicyAction({ word, status }: { word: string; status: string }): ReactNode {
  const { colour, shape } = lookUpVerdict(status);
  return (
    <Group
      gap={6}
      wrap="nowrap"
      c={`var(--assay-${colour})`}
      display="inline-flex"
      className="verdict"
    >
      <Mark shape={shape} />
      <Text span size="sm" fw={600} c="inherit">
        {word}
      </Text>
    </Group>
  );
}
