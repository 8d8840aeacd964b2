// A message to every member of the organisation, also by mail if it is wanted.
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { showNote, useChange } from '../../parts/forms/use-change.ts';

export function BroadcastButton(): ReactNode {
  const form = useForm({ initialValues: { title: '', body: '', sendEmail: false } });
  const send = useChange({
    change: (body: typeof form.values) =>
      readData(api.POST('/api/v1/notifications/broadcast', { body })),
    refresh: ['notifications'],
    form,
    onDone: ({ recipients, emails }) =>
      showNote(`Members notified: ${recipients}. Mails on their way: ${emails}.`),
  });
  return (
    <DialogButton
      label="Message all members"
      title="Message all members"
      submitLabel="Send it"
      form={form}
      mutation={send}
    >
      <TextInput
        label="Title"
        required
        data-autofocus
        maxLength={200}
        {...form.getInputProps('title')}
      />
      <Textarea
        label="Message"
        required
        autosize
        minRows={3}
        maxLength={1000}
        {...form.getInputProps('body')}
      />
      <Checkbox
        label="Also by mail"
        description="Except to those who want no such mails"
        {...form.getInputProps('sendEmail', { type: 'checkbox' })}
      />
    </DialogButton>
  );
}
