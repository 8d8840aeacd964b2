// API keys of the organisation: what each may do, when it was last used, and where it is bound to.
import { Checkbox, Code, MultiSelect, Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { agentsQuery, workspacesQuery } from '../../api/shared-queries.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { DialogButton, PRIMARY } from '../../parts/forms/dialog-button.tsx';
import { ShownOnce } from '../../parts/forms/shown-once.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Key = components['schemas']['Key'];
type KeyInput = components['schemas']['KeyInput'];

const listQuery = createPagedQuery<Key>(['keys'], (page, signal) => {
  const query = { page, limit: 100 };
  return readEnvelope(api.GET('/api/v1/auth/keys', { params: { query }, signal }));
});

export function KeysPage(): ReactNode {
  const list = useInfiniteQuery(listQuery);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <SettingsFrame
      title="API keys"
      lead="Programs present them as x-api-key. Agents have keys of their own, on their pages."
      actions={<KeyButton onMade={setSecret} />}
    >
      <QueryView query={list}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon="key" title="No keys yet">
              A key lets a program post decisions, or read them.
            </Empty>
          ) : (
            <>
              <KeyTable keys={keys} />
              <ShowMore list={list} />
            </>
          )
        }
      </QueryView>
      <ShownOnce title="The new key" label="key" secret={secret} onClose={() => setSecret(null)} />
    </SettingsFrame>
  );
}

function describeScope({ scope, capabilities = [] }: Key): string {
  const parts = [
    scope.readOnly ? 'Reads only' : 'Posts and reads',
    scope.agentIds === null ? 'every agent' : `${scope.agentIds.length} agents`,
    ...capabilities,
  ];
  return parts.join(', ');
}

function KeyTable({ keys }: { keys: readonly Key[] }): ReactNode {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  return (
    <DataTable
      label="API keys"
      rows={keys}
      toKey={({ _id }) => _id}
      columns={[
        {
          title: 'Key',
          cell: ({ name, prefix }) => (
            <>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <Code>{prefix}</Code>
            </>
          ),
        },
        { title: 'May', cell: describeScope },
        {
          title: 'Workspace',
          cell: ({ workspaceId }) =>
            workspaceId === null
              ? 'Any'
              : (workspaces.find(({ _id }) => _id === workspaceId)?.name ?? 'One'),
        },
        {
          title: 'Last used',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Ago at={lastUsedAt} />),
        },
        { title: 'Made', isEnd: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
        {
          title: 'Actions',
          isTitleHidden: true,
          isEnd: true,
          cell: (key) => <RevokeButton apiKey={key} />,
        },
      ]}
    />
  );
}

function RevokeButton({ apiKey: { _id: id, name } }: { apiKey: Key }): ReactNode {
  const revoke = useChange({
    change: () => readData(api.DELETE('/api/v1/auth/keys/{id}', { params: { path: { id } } })),
    refresh: ['keys', 'progress'],
    note: `${name} is revoked`,
  });
  return (
    <RowActions>
      <ConfirmButton
        label="Revoke"
        title={`Revoke ${name}?`}
        mutation={revoke}
        onConfirm={() => revoke.mutateAsync()}
        isDangerous
        buttonProps={{ 'aria-label': `Revoke ${name}` }}
      >
        Programs that present it are refused at once.
      </ConfirmButton>
    </RowActions>
  );
}

interface Values {
  name: string;
  workspaceId: string | null;
  agentIds: string[];
  isReadOnly: boolean;
  isFeedback: boolean;
}

const toInput = ({ name, workspaceId, agentIds, ...values }: Values): KeyInput => ({
  name,
  workspaceId,
  scope: { agentIds: agentIds.length > 0 ? agentIds : null, readOnly: values.isReadOnly },
  capabilities: values.isFeedback ? ['feedback'] : [],
});

function KeyButton({ onMade }: { onMade: (key: string) => void }): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const form = useForm<Values>({
    initialValues: {
      name: '',
      workspaceId: null,
      agentIds: [],
      isReadOnly: false,
      isFeedback: false,
    },
  });
  const make = useChange({
    change: (values: Values) => readData(api.POST('/api/v1/auth/keys', { body: toInput(values) })),
    refresh: ['keys', 'progress'],
    form,
    onDone: ({ key }) => onMade(key),
  });
  return (
    <DialogButton
      label="Make a key"
      title="Make a key"
      submitLabel="Make it"
      form={form}
      mutation={make}
      buttonProps={PRIMARY}
    >
      <TextInput
        label="Name"
        description="Where it is used, such as ticket-system"
        required
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <Select
        label="Workspace"
        placeholder="Any"
        clearable
        data={workspaces.map(({ _id, name }) => ({ value: _id, label: name }))}
        {...form.getInputProps('workspaceId')}
      />
      <MultiSelect
        label="Agents"
        placeholder={form.values.agentIds.length > 0 ? undefined : 'Every agent'}
        searchable
        data={agents.map(({ _id, name }) => ({ value: _id, label: name }))}
        {...form.getInputProps('agentIds')}
      />
      <Checkbox label="Reads only" {...form.getInputProps('isReadOnly', { type: 'checkbox' })} />
      <Checkbox
        label="Its feedback counts as the verdict of a person"
        {...form.getInputProps('isFeedback', { type: 'checkbox' })}
      />
    </DialogButton>
  );
}
