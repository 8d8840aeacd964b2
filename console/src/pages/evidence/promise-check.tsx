// Whether a promise was kept: what an agent was answered comes back, and the log says what became of the entry.
import { Button, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components, operations } from '../../api/schema.gen.d.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Problem } from '../../parts/states.tsx';
import { ShortHash } from '../../parts/text.tsx';
import { formatExact } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';

type Promised =
  operations['postHashChainPromiseCheck']['requestBody']['content']['application/json'];
type Checked = components['schemas']['ChainPromiseCheck'];

/** Finds the entry in what was pasted: a whole answer, its data, or its `hashChain` alone. */
function readPromised(text: string): Promised | null {
  try {
    const pasted = JSON.parse(text) as Record<string, unknown> | null;
    const data = (pasted?.['data'] ?? pasted) as Record<string, unknown> | null;
    const entry = (data?.['hashChain'] ?? data) as Promised | null;
    return typeof entry?.promise?.note === 'string' ? entry : null;
  } catch {
    return null;
  }
}

export function PromiseCheck(): ReactNode {
  const [text, setText] = useState('');
  const promised = readPromised(text);
  const check = useMutation({
    mutationFn: (body: Promised) =>
      readData(api.POST('/api/v1/hash-chain/promise/check', { body })),
  });
  return (
    <Paper p="md" component="section" aria-label="Promise">
      <Title order={2}>Check a promise</Title>
      <Text size="sm" c="dimmed" mb="sm">
        The answer to a decision promises that its entry will be in the log soon. Check here whether
        it is.
      </Text>
      <Stack gap="sm" maw={640}>
        <Textarea
          label="Answer to the decision"
          description="Whole, or its member hashChain"
          placeholder={'{"sequence": 1, "chainHash": "…", "promise": {…}}'}
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          error={text.trim() !== '' && promised === null && 'There is no promise in it'}
          onChange={(event) => setText(event.currentTarget.value)}
          classNames={{ input: 'code-input' }}
        />
        <Button
          variant="default"
          w="fit-content"
          disabled={promised === null}
          loading={check.isPending}
          onClick={() => promised && check.mutate(promised)}
        >
          Check it
        </Button>
        {check.error && <Problem error={check.error} />}
        {check.data && <Result checked={check.data} />}
      </Stack>
    </Paper>
  );
}

const VERDICTS = {
  kept: { tone: 'good', words: 'Kept' },
  'not-due': { tone: 'neutral', words: 'Not due yet' },
  broken: { tone: 'bad', words: 'Broken' },
} as const;
const REASONS: Readonly<Record<NonNullable<Checked['reason']>, string>> = {
  'other-entry': 'The log has another entry in its place.',
  'too-late': 'It came into the log after the time that was promised.',
  'not-in-log': 'The time has passed, and it is not in the log.',
  'log-altered': 'The stored log is not the one that was signed.',
};

function Result({ checked }: { checked: Checked }): ReactNode {
  const { verdict, reason, before, anchoredAt, foundChainHash, newest } = checked;
  const { tone, words } = VERDICTS[verdict];
  return (
    <Stack gap="xs" role="status">
      <Sign tone={tone}>{words}</Sign>
      {reason !== null && <Text size="sm">{REASONS[reason]}</Text>}
      <Facts
        items={[
          ['Promised before', formatExact(before)],
          ['In the log since', anchoredAt === null ? 'not yet' : formatExact(anchoredAt)],
          [
            'Entry there',
            foundChainHash && <ShortHash value={foundChainHash} label="hash of the entry" />,
          ],
          ['The log reaches', newest && `entry ${newest.treeSize.toLocaleString('en')}`],
        ]}
      />
    </Stack>
  );
}
