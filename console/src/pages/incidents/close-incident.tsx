// Closes an incident with its root cause and remedy.
import { Button, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import type { Incident } from './incident-texts.ts';

export function CloseIncident({ incident }: { incident: Incident }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const form = useForm({ initialValues: { rootCause: '', remediation: '', notes: '' } });
  const close = useChange({
    change: (body: typeof form.values) => {
      const params = { path: { id: incident._id } };
      return readData(api.POST('/api/v1/incidents/{id}/close', { params, body }));
    },
    refresh: ['incidents'],
    note: 'The incident is closed',
    onDone: () => setOpen(false),
    form,
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpen(true)}>
        Close the incident
      </Button>
      <FormDialog
        isOpen={isOpen}
        title="Close the incident"
        submitLabel="Close it"
        mutation={close}
        onClose={() => setOpen(false)}
        onSubmit={form.onSubmit((values) => close.mutate(values))}
      >
        <Textarea
          label="Root cause"
          autosize
          minRows={2}
          data-autofocus
          {...form.getInputProps('rootCause')}
        />
        <Textarea label="Remedy" autosize minRows={2} {...form.getInputProps('remediation')} />
        <Textarea label="Notes" autosize minRows={2} {...form.getInputProps('notes')} />
      </FormDialog>
    </>
  );
}
