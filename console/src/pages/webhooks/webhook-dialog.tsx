// Makes or changes a webhook; the signing secret of one that was just made is shown once.
import { MultiSelect, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { ShownOnce } from '../../parts/forms/shown-once.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { SignatureExample } from './signature-example.tsx';
import { EVENTS, TYPES, type Webhook, type WebhookInput } from './webhook-queries.ts';

interface Props {
  isOpen: boolean;
  /** Null: a new one. */
  webhook: Webhook | null;
  onClose: () => void;
}

interface Values {
  url: string;
  events: WebhookInput['events'];
  type: Webhook['type'];
  description: string;
}

const toValues = (webhook: Webhook | null): Values => ({
  url: webhook?.url ?? '',
  events: webhook?.events ?? ['*'],
  type: webhook?.type ?? 'custom',
  description: webhook?.description ?? '',
});

/** Returns the signing secret of a new webhook; null: it was there before. */
async function saveWebhook(webhook: Webhook | null, body: Values): Promise<string | null> {
  if (webhook === null)
    return (await readData(api.POST('/api/v1/webhooks', { body }))).signingSecret;
  const params = { path: { id: webhook._id } };
  await readData(api.PATCH('/api/v1/webhooks/{id}', { params, body, ...createMatch(webhook) }));
  return null;
}

export function WebhookDialog({ isOpen, webhook, onClose }: Props): ReactNode {
  const form = useStoredForm<Values>(toValues(webhook));
  const [secret, setSecret] = useState<string | null>(null);
  const save = useChange({
    change: (values: Values) => saveWebhook(webhook, values),
    refresh: ['webhooks'],
    form,
    onDone(made) {
      setSecret(made);
      onClose();
      if (webhook === null) form.reset();
    },
  });
  return (
    <>
      <FormDialog
        form={form}
        isOpen={isOpen}
        title={webhook ? 'Edit the webhook' : 'Add a webhook'}
        submitLabel={webhook ? 'Save' : 'Add it'}
        mutation={save}
        onClose={onClose}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <TextInput
          label="Address"
          description="https, and reached from the internet"
          placeholder="https://"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
        <Select
          label="Receiver"
          allowDeselect={false}
          data={TYPES.map((type) => ({ ...type }))}
          {...form.getInputProps('type')}
        />
        <MultiSelect
          label="Events"
          required
          data={EVENTS.map((event) => ({ ...event }))}
          {...form.getInputProps('events')}
        />
        <TextInput label="Note" maxLength={100} {...form.getInputProps('description')} />
      </FormDialog>
      <ShownOnce
        title="Signing secret"
        label="signing secret"
        secret={secret}
        onClose={() => setSecret(null)}
      >
        <SignatureExample />
      </ShownOnce>
    </>
  );
}
