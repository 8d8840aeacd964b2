// A secret that the service shows once, until the person has put it away.
import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Snippet } from '../text.tsx';

interface Props {
  title: string;
  /** What it is called, such as `key`. */
  label: string;
  /** Null: nothing to show. */
  secret: string | null;
  onClose: () => void;
  /** How it is used. */
  children?: ReactNode;
}

export function ShownOnce({ title, label, secret, onClose, children }: Props): ReactNode {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Alert variant="light" p="xs">
          <Text size="sm">It is shown this once. Keep it where your secrets are kept.</Text>
        </Alert>
        <Snippet code={secret ?? ''} label={label} />
        {children}
        <Button ml="auto" onClick={onClose}>
          I have kept it
        </Button>
      </Stack>
    </Modal>
  );
}
