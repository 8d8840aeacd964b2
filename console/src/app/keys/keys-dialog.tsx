// The keys of what is shown: of the page first, then those that work everywhere.
import { Kbd, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { KeysSwitch } from '../../parts/keys/keys-switch.tsx';
import { listNamedKeys } from '../../parts/keys/single-keys.ts';
import { DataTable } from '../../parts/lists/data-table.tsx';

const WITH_CTRL = [
  ['Ctrl K', 'Search, and do something'],
  ['Ctrl Enter', 'Send a form'],
  ['Ctrl .', 'Stop something'],
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
          rows={[...listNamedKeys(), ...WITH_CTRL]}
          toKey={([keys]) => keys}
          columns={[
            { title: 'Key', isShort: true, cell: ([keys]) => <Keys keys={keys} /> },
            { title: 'Does', cell: ([, does]) => does },
          ]}
        />
      </Stack>
    </Modal>
  );
}

const Keys = ({ keys }: { keys: string }): ReactNode =>
  keys.split(' ').map((key, at) => (
    <span key={key}>
      {at > 0 && ' '}
      <Kbd>{key}</Kbd>
    </span>
  ));
