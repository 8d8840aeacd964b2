// Workspaces: by when a hold is reviewed, when it expires, how links decide, and what may be approved without a person.
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { workspacesQuery } from '../../../api/shared-queries.ts';
import { DialogButton, PRIMARY } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { QueryView } from '../../../parts/states.tsx';
import { useRights } from '../../../session/session.ts';
import { SettingsFrame } from '../settings-frame.tsx';
import { WorkspaceSection } from './workspace-section.tsx';

export function WorkspacesPage(): ReactNode {
  const workspaces = useQuery(workspacesQuery);
  const { mayManage } = useRights();
  return (
    <SettingsFrame
      title="Workspaces"
      lead="Decisions of a workspace have their own review times and rules."
      actions={mayManage && <AddButton />}
    >
      <QueryView query={workspaces}>
        {(found) =>
          found.map((workspace) => <WorkspaceSection key={workspace._id} workspace={workspace} />)
        }
      </QueryView>
    </SettingsFrame>
  );
}

function AddButton(): ReactNode {
  const form = useForm({ initialValues: { name: '' } });
  const create = useChange({
    change: (body: { name: string }) => readData(api.POST('/api/v1/workspaces', { body })),
    refresh: ['workspaces'],
    form,
  });
  return (
    <DialogButton
      label="Add a workspace"
      title="Add a workspace"
      submitLabel="Add it"
      form={form}
      mutation={create}
      buttonProps={PRIMARY}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </DialogButton>
  );
}
