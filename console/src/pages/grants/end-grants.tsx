// Ends one standing grant, or all of an agent.
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';

const REASON_MAX = 500;

interface Props {
  label: string;
  title: string;
  end: (reason: { reason?: string }) => Promise<unknown>;
}

function EndButton({ label, title, end }: Props): ReactNode {
  const form = useForm({ initialValues: { reason: '' } });
  const mutation = useChange({
    change: ({ reason }: { reason: string }) =>
      end(reason.trim() === '' ? {} : { reason: reason.trim() }),
    refresh: ['grants'],
    note: 'From now on a person decides again',
  });
  return (
    <DialogButton
      label={label}
      title={title}
      submitLabel={label}
      form={form}
      mutation={mutation}
      isDangerous
    >
      <TextInput
        label="Reason"
        description="It is sealed with the end."
        maxLength={REASON_MAX}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </DialogButton>
  );
}

export const EndGrant = ({ id }: { id: string }): ReactNode => (
  <EndButton
    label="End it"
    title="End this grant"
    end={(body) => readData(api.DELETE('/api/v1/grants/{id}', { params: { path: { id } }, body }))}
  />
);

export const EndGrantsOfAgent = ({ agentId }: { agentId: string }): ReactNode => (
  <EndButton
    label="End all"
    title="End all grants of this agent"
    end={(reason) => readData(api.POST('/api/v1/grants/revoke', { body: { agentId, ...reason } }))}
  />
);
