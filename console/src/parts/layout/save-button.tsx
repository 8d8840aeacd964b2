// A button that saves a file of the API, shows that it works, and can be stopped.
import { Button, type ButtonProps, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { saveFile } from '../../api/download.ts';
import { Problem } from '../states.tsx';

interface Props extends ButtonProps {
  path: string;
  children: ReactNode;
}

export function SaveButton({ path, children, ...look }: Props): ReactNode {
  const stop = useRef<AbortController | null>(null);
  const save = useMutation({
    async mutationFn() {
      stop.current = new AbortController();
      await saveFile(path, stop.current.signal).catch((error: unknown) => {
        if (!stop.current?.signal.aborted) throw error;
      });
    },
  });
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Button
          variant="default"
          size="xs"
          {...look}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {children}
        </Button>
        {save.isPending && (
          <Button variant="subtle" size="xs" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        )}
      </Group>
      {save.error && <Problem error={save.error} />}
    </>
  );
}
