// All keys of the review queue.
import { Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { DataTable } from '../../parts/lists/data-table.tsx';

const KEYS = [
  ['j', 'Next decision'],
  ['k', 'Previous decision'],
  ['a', 'Approve'],
  ['r', 'Reject, with a reason'],
  ['e', 'Edit the action, then approve it'],
  ['s', 'Assign'],
  ['x', 'Select; a verdict then decides all that are selected'],
  ['u', 'Take the last verdict back, within five seconds'],
  ['?', 'These keys'],
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
    </Modal>
  );
}
