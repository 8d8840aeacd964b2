// Registers an agent: its key is shown once, and the first steps with it can be taken now or later.
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { DialogButton, PRIMARY } from '../../../parts/forms/dialog-button.tsx';
import { ShownOnce } from '../../../parts/forms/shown-once.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { WayTabs } from '../../../parts/way-tabs.tsx';
import { DescriptionField } from '../description-field.tsx';

export function Registration(): ReactNode {
  const form = useForm({ initialValues: { name: '', description: '' } });
  const register = useChange({
    change: (body: { name: string; description: string }) =>
      readData(api.POST('/api/v1/agents', { body: { ...body, onboarding: true } })),
    refresh: ['agents'],
    form,
  });
  const made = register.data;
  return (
    <>
      <DialogButton
        label="Register an agent"
        title="Register an agent"
        submitLabel="Register"
        form={form}
        mutation={register}
        buttonProps={PRIMARY}
      >
        <TextInput
          label="Name"
          description="As the agent calls itself in its decisions"
          required
          data-autofocus
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <DescriptionField {...form.getInputProps('description')} />
      </DialogButton>
      <ShownOnce
        title={`Key of ${made?.name ?? 'the agent'}`}
        label="key"
        secret={made?.apiKey ?? null}
        onClose={() => register.reset()}
      >
        <WayTabs target={{ key: made?.apiKey ?? null, agent: made?.name ?? '', tool: 'my_tool' }} />
      </ShownOnce>
    </>
  );
}
