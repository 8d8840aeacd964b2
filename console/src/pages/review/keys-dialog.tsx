// All keys of the review queue.
import { Kbd, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { KeysSwitch } from '../../parts/keys/keys-switch.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';

const KEYS = [
  ['j', 'Next decision'],
  ['k', 'Previous decision'],
  ['a', 'Approve'],
  ['r', 'Reject, with a reason'],
  ['e', 'Edit the action, then approve it'],
  ['s', 'Assign'],
  ['x', 'Select; a verdict then decides all that are selected'],
  ['u', 'Undo the last verdict, before it is sent'],
  ['?', 'These keys'],
  ['Ctrl Enter', 'Send the reason, or the edited action'],
] as const;

interface Props {
  isOpen: boolean;
  onClose: () => void;
}

export function KeysDialog({ isOpen, onClose }: Props): ReactNode {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Keys"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">
        <KeysSwitch />
        <DataTable
          label="Keys"
          isPlain
          rows={KEYS}
          toKey={([key]) => key}
          columns={[
            { title: 'Key', isShort: true, cell: ([key]) => <Kbd>{key}</Kbd> },
            { title: 'Does', cell: ([, does]) => does },
          ]}
        />
      </Stack>
    </Modal>
  );
}
