// The proposed action, largest on its page: a tool with its arguments, or a text.
import { Box, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isObject, readToolCall } from './decision-text.ts';
import { formatValue, Stored } from './text.tsx';

interface Props {
  action: unknown;
  isLarge?: boolean;
}

export function ActionView({ action, isLarge = false }: Props): ReactNode {
  if (action === null || action === undefined)
    return <Text c="dimmed">The action is not kept.</Text>;
  const call = readToolCall(action);
  if (!call)
    return (
      <Text component="div" fz={isLarge ? 'xl' : 'lg'} fw={600}>
        <Stored value={action} size={isLarge ? 'lg' : 'md'} />
      </Text>
    );
  return (
    <Box>
      <Text fz={isLarge ? 'xl' : 'lg'} fw={650} ff="monospace" className="stored-text" dir="auto">
        {formatValue(call.tool)}
      </Text>
      <Parameters parameters={call.parameters} />
    </Box>
  );
}

function Parameters({ parameters }: { parameters: unknown }): ReactNode {
  if (!isObject(parameters)) return <Stored value={parameters} />;
  const entries = Object.entries(parameters);
  if (entries.length === 0) return <Text c="dimmed">No arguments</Text>;
  return (
    <dl className="parameters">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Code>{formatValue(name)}</Code>
          </dt>
          <dd>
            <Stored value={value} size="md" />
          </dd>
        </div>
      ))}
    </dl>
  );
}
