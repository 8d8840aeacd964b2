// A decision that was erased: its contents are gone, and its entries stay in the chain.
import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextLink } from '../../parts/links.tsx';
import { QueryView } from '../../parts/states.tsx';
import { createEntriesQuery } from './decision-query.ts';
import { Proof } from './proof.tsx';
import { Entries } from './timeline.tsx';

export function ErasedDecision({ traceId }: { traceId: string }): ReactNode {
  const entries = useQuery(createEntriesQuery(traceId));
  return (
    <QueryView query={entries}>
      {({ entry, proof, related }) => (
        <Stack gap="md" maw={640}>
          <Paper p="md">
            <Title order={2}>The contents are erased.</Title>
            <Text size="sm" c="dimmed">
              Its entries stay, and the chain stays whole.{' '}
              <TextLink to="/evidence" search={{ part: 'erasures' }} size="sm">
                Erasures and their certificates
              </TextLink>
            </Text>
          </Paper>
          <Paper p="md" component="section" aria-label="Timeline">
            <Title order={2} mb="sm">
              Timeline
            </Title>
            <Stack gap="sm">
              <Entries entries={[entry, ...related]} decision={null} />
              <Proof entry={entry} proof={proof} />
            </Stack>
          </Paper>
        </Stack>
      )}
    </QueryView>
  );
}
