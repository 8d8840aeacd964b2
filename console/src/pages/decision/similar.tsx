// Decisions that mean the like, found on request, since the first search of an organisation builds its index.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import { readAction, readPrompt, describeAction } from '../../parts/decision-text.ts';
import { Icon } from '../../parts/icons.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Problem } from '../../parts/states.tsx';
import { StoredLine } from '../../parts/text.tsx';
import { Verdict } from '../../parts/verdict.tsx';

const MOST_ASKED = 500;

export function Similar({ decision }: { decision: Decision }): ReactNode {
  const query = (readPrompt(decision) ?? describeAction(readAction(decision))).slice(0, MOST_ASKED);
  const search = useMutation({
    mutationFn: () => readData(api.POST('/api/v1/traces/memory', { body: { query, topK: 6 } })),
  });
  const found = search.data?.results.filter(({ traceId }) => traceId !== decision.traceId);
  return (
    <Paper p="md" component="section" aria-label="Similar decisions">
      <Group justify="space-between">
        <Title order={2}>Similar decisions</Title>
        <Button
          variant="default"
          size="xs"
          loading={search.isPending}
          onClick={() => search.mutate()}
          leftSection={<Icon name="search" size={14} />}
        >
          Find
        </Button>
      </Group>
      {search.error && <Problem error={search.error} />}
      {found?.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          There are none, or the index is still being built. Try again in a moment.
        </Text>
      )}
      <Stack gap={6} mt={found ? 'xs' : 0}>
        {found?.map(({ traceId, matchedText, trace: { status } }) => (
          <Group key={traceId} wrap="nowrap" gap="sm">
            <Verdict status={status} />
            <TextLink to="/decisions/$traceId" params={{ traceId }} miw={0}>
              <StoredLine value={matchedText ?? traceId} />
            </TextLink>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
