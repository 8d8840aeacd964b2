// The verdict of a verification in colour, word and shape.
import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from '../../verifier/protocol.ts';
import { Mark } from '../parts/verdict.tsx';

type Verdict = NonNullable<Outcome['report']>['verdict'];

const LOOKS = {
  intact: { word: 'Intact', colour: 'approved', shape: 'disc' },
  'cannot tell': { word: 'Cannot tell', colour: 'held', shape: 'diamond' },
  tampered: { word: 'Tampered', colour: 'blocked', shape: 'square' },
} as const;

export function VerdictBand({ verdict, text }: { verdict: Verdict; text: string }): ReactNode {
  const { word, colour, shape } = LOOKS[verdict];
  return (
    <Paper p="md" role="status" bg={`var(--assay-${colour}-fill)`} c={`var(--assay-${colour})`}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Mark shape={shape} size={22} />
        <div>
          <Text fw={650} size="lg" lh={1.3}>
            {word}
          </Text>
          <Text size="sm">{text}</Text>
        </div>
      </Group>
    </Paper>
  );
}
