// Asks why a decision is rejected: the agent and the record get the reason.
import { Button, Modal, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isSendKey } from '../../parts/keys/read-key.ts';
import { DialogButtons } from '../../parts/forms/dialog-buttons.tsx';

interface Props {
  isOpen: boolean;
  count: number;
  onClose: () => void;
  onReject: (reason: string) => void;
}

export function RejectDialog({ isOpen, count, onClose, onReject }: Props): ReactNode {
  const [reason, setReason] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (reason.trim() === '') return;
    onReject(reason.trim());
    setReason('');
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={count > 1 ? `Reject ${count} decisions` : 'Reject the decision'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Textarea
            label="Reason"
            description="The agent gets it with the verdict, and it is sealed. Ctrl+Enter sends it."
            required
            maxLength={1000}
            autosize
            minRows={2}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (isSendKey(event.nativeEvent)) submit(event);
            }}
          />
          <DialogButtons onCancel={onClose}>
            <Button type="submit" color="red">
              {count > 1 ? `Reject ${count}` : 'Reject'}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
