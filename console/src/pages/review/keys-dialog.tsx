// All keys of the review queue.
import { Kbd, Modal, Table } from '@mantine/core';
import type { ReactNode } from 'react';

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
      <Table>
        <Table.Tbody>
          {KEYS.map(([key, does]) => (
            <Table.Tr key={key}>
              <Table.Td w={60}>
                <Kbd>{key}</Kbd>
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
