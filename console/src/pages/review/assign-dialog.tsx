// Assigns an item to a member, or to no one.
import { Button, Modal, Select, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import { DialogButtons } from '../../parts/forms/dialog-buttons.tsx';
import { Problem } from '../../parts/states.tsx';
import { useSession } from '../../session/session.ts';
import type { ReviewItem } from './review-queries.ts';

interface Props {
  isOpen: boolean;
  item: ReviewItem;
  onClose: () => void;
}

export function AssignDialog({ isOpen, item, onClose }: Props): ReactNode {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Assign the decision"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AssignForm key={item._id} item={item} onClose={onClose} />
    </Modal>
  );
}

function AssignForm({ item, onClose }: Omit<Props, 'isOpen'>): ReactNode {
  const queries = useQueryClient();
  const { user } = useSession();
  const { data: members = [] } = useQuery(membersQuery);
  const [assignedTo, setAssignedTo] = useState<string | null>(item.assignedTo ?? user._id);
  const assign = useMutation({
    mutationFn: () =>
      readData(
        api.PATCH('/api/v1/review-queue/{id}/assign', {
          params: { path: { id: item._id } },
          body: { assignedTo },
        }),
      ),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['review'] });
      onClose();
    },
  });
  return (
    <Stack gap="sm">
      <Select
        label="Member"
        clearable
        searchable
        // Its list would cover the buttons.
        openOnFocus={false}
        data-autofocus
        data={members.map(({ userId, name }) => ({ value: userId, label: name }))}
        value={assignedTo}
        onChange={setAssignedTo}
      />
      {assign.error && <Problem error={assign.error} />}
      <DialogButtons onCancel={onClose}>
        <Button loading={assign.isPending} onClick={() => assign.mutate()}>
          {assignedTo === null ? 'Remove the assignment' : 'Assign'}
        </Button>
      </DialogButtons>
    </Stack>
  );
}
