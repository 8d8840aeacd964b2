// How many have approved a held decision, and who has yet to.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { markInvisible } from '../text.tsx';

interface Props {
  approvals: { given: number; needed: number; waitsFor: string | null };
}

export const ApprovalsLeft = ({ approvals: { given, needed, waitsFor } }: Props): ReactNode => (
  <Text size="sm">
    {given} of {needed} approvals{waitsFor !== null && `: waits for ${markInvisible(waitsFor)}`}
  </Text>
);
