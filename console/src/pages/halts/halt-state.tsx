// How a halt stands, and who caused it.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Halt } from '../../parts/halts/halt-queries.ts';
import { Sign } from '../../parts/verdict.tsx';

const LOOKS = {
  halted: { tone: 'bad', word: 'Halted' },
  watched: { tone: 'warning', word: 'Watched' },
  resumed: { tone: 'neutral', word: 'Resumed' },
} as const;

interface Props {
  state: Halt['state'];
  /** Whether it is asked that it goes on. */
  isAsked?: boolean;
  isFilled?: boolean;
}

export function HaltState({ state, isAsked = false, isFilled = false }: Props): ReactNode {
  const { tone, word } = LOOKS[state];
  return (
    <>
      <Sign tone={tone} isFilled={isFilled}>
        {word}
      </Sign>
      {isAsked && (
        <Text size="xs" c="dimmed">
          A second person is asked for
        </Text>
      )}
    </>
  );
}
