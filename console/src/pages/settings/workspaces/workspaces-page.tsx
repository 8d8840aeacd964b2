// Workspaces: by when a hold is reviewed, when it expires, how links decide, and what may be approved without a person.
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { workspacesQuery } from '../../../api/shared-queries.ts';
import { FormDialog } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Icon } from '../../../parts/icons.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { useRights } from '../../../session/session.ts';
import { SettingsFrame } from '../settings-frame.tsx';
import { WorkspaceSection } from './workspace-section.tsx';

export function WorkspacesPage(): ReactNode {
  const workspaces = useQuery(workspacesQuery);
  const { mayManage } = useRights();
  const [isOpen, setOpen] = useState(false);
  return (
    <SettingsFrame
      title="Workspaces"
      lead="Decisions of a workspace have their own review times and rules."
      actions={
        mayManage && (
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setOpen(true)}
          >
            Add a workspace
          </Button>
        )
      }
    >
      <QueryView query={workspaces}>
        {(found) =>
          found.map((workspace) => (
            <WorkspaceSection
              key={`${workspace._id}${workspace.updatedAt}`}
              workspace={workspace}
            />
          ))
        }
      </QueryView>
      <CreateDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </SettingsFrame>
  );
}

function CreateDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const form = useForm({ initialValues: { name: '' } });
  const create = useChange({
    change: (body: { name: string }) => readData(api.POST('/api/v1/workspaces', { body })),
    refresh: ['workspaces'],
    form,
    onDone() {
      form.reset();
      onClose();
    },
  });
  return (
    <FormDialog
      isOpen={isOpen}
      title="Add a workspace"
      submitLabel="Add it"
      mutation={create}
      onClose={onClose}
      onSubmit={form.onSubmit((values) => create.mutate(values))}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}
