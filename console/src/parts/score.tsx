// A confidence score between 0 and 1, as a number and as a bar.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

const formatScore = (value: number): string => value.toFixed(2);

export function Score({ value }: { value: number }): ReactNode {
  return (
    <Text span size="sm" className="numbers score" title="Confidence">
      {formatScore(value)}
      <svg aria-hidden="true" width="24" height="3" viewBox="0 0 24 3" focusable="false">
        <rect width="24" height="3" rx="1.5" fill="var(--mantine-color-default-border)" />
        <rect width={24 * value} height="3" rx="1.5" fill="var(--assay-neutral)" />
      </svg>
    </Text>
  );
}
