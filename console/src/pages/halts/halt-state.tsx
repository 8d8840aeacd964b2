// How a halt stands, and who caused it.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { membersQuery } from '../../api/shared-queries.ts';
import type { Halt } from '../../parts/halts/halt-queries.ts';
import { markInvisible } from '../../parts/text.tsx';
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

/** `id`: of a user; null: a key or the service. */
export function MemberName({ id }: { id: string | null }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  if (id === null) return 'A key or the service';
  const name = members.find(({ userId }) => userId === id)?.name;
  return name === undefined ? 'A former member' : markInvisible(name);
}
