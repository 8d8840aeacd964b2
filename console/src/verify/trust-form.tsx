// What the reader trusts: without it, a chain that was written again as a whole looks like the first one.
import { Paper, SimpleGrid, Text, Textarea, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Typed } from './given-files.ts';

interface Props {
  typed: Typed;
  onChange: (typed: Typed) => void;
}

export function TrustForm({ typed, onChange }: Props): ReactNode {
  return (
    <Paper p="md" component="section" aria-label="What you trust">
      <Title order={2}>What you trust</Title>
      <Text size="sm" c="dimmed" mb="xs">
        The owner of a chain can write all of it again. What you noted or received from elsewhere
        shows that.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <Textarea
          label="Noted places"
          description="sequence:chainHash, one a line"
          placeholder="1200:9f86d081…"
          autosize
          minRows={2}
          maxRows={6}
          value={typed.pins}
          onChange={(event) => onChange({ ...typed, pins: event.currentTarget.value })}
          classNames={{ input: 'code-input' }}
        />
        <Textarea
          label="Keys"
          description="Of logs, promises, or names of signing keys; one a line"
          placeholder="example.com/log+5a5fb5d6+BHvZ…"
          autosize
          minRows={2}
          maxRows={6}
          value={typed.keys}
          onChange={(event) => onChange({ ...typed, keys: event.currentTarget.value })}
          classNames={{ input: 'code-input' }}
        />
        <Textarea
          label="Keys of custodians"
          description="Who destroys the keys of what is erased; ask them, one a line"
          placeholder="custodian.example+71c0…+AQvZ…"
          autosize
          minRows={2}
          maxRows={6}
          value={typed.custodianKeys}
          onChange={(event) => onChange({ ...typed, custodianKeys: event.currentTarget.value })}
          classNames={{ input: 'code-input' }}
        />
      </SimpleGrid>
    </Paper>
  );
}
