// What the session of a decision had done before it: the state that it was judged on, in words.
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { formatCount } from '../../parts/words.ts';
import { createSessionQuery, type SessionDetail } from '../sessions/session-queries.ts';

/** Nothing where no session was known. */
export function JudgedOn({ traceId }: { traceId: string }): ReactNode {
  const { data } = useQuery(createSessionQuery(traceId));
  if (!data?.judgedOn) return null;
  const { state } = data.judgedOn;
  return (
    <Paper p="md" component="section" aria-label="What it was judged on">
      <Stack gap="xs">
        <Title order={2}>What its session had done</Title>
        <Text size="sm">{describeState(state)}</Text>
        {state.labels.length > 0 && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              It may have held
            </Text>
            {state.labels.map(({ label, traceId: giver }) => (
              <TextLink
                key={label}
                to="/decisions/$traceId"
                params={{ traceId: giver }}
                title="The decision that gave it"
              >
                <Badge color="gray">{markInvisible(label)}</Badge>
              </TextLink>
            ))}
          </Group>
        )}
        <TextLink to="/sessions/$traceId" params={{ traceId }} size="sm">
          See the session
        </TextLink>
      </Stack>
    </Paper>
  );
}

type State = NonNullable<SessionDetail['judgedOn']>['state'];

function describeState({ acts, blocked, counts }: State): string {
  if (acts === 0 && blocked === 0) return 'It began with this decision.';
  const did = counts.map(({ effect, times }) => `${effect} ${times}×`).join(', ');
  const done = `${formatCount(acts, 'decision')} let act${did === '' ? '' : ` (${did})`}`;
  return blocked === 0
    ? `${done}, none blocked.`
    : `${done}, ${blocked.toLocaleString('en')} blocked.`;
}
