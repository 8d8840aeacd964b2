// The foot of a dialog: a way out, and what the dialog does.
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  onCancel: () => void;
  /** The button that does it. */
  children: ReactNode;
}

export function DialogButtons({ onCancel, children }: Props): ReactNode {
  return (
    <Group justify="flex-end" gap="xs" className="wide-buttons">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
