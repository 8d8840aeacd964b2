// An address to copy.
import { Code, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyAction } from '../../../parts/text.tsx';

export function ShortAddress({ url, name }: { url: string; name: string }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code className="stored-text">{url}</Code>
      <CopyAction text={url} label={`Copy ${name}`} />
    </Group>
  );
}
