// Named lists: the values that policies refer to by a name.
import { Select, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { workspacesQuery } from '../../../api/shared-queries.ts';
import { DialogButton, PRIMARY } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { ButtonLink } from '../../../parts/links.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { RowLink } from '../../../parts/lists/row-link.tsx';
import { Page } from '../../../parts/page.tsx';
import { Empty, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import { listsQuery } from '../policy-queries.ts';
import { ListPart } from './list-part.tsx';
import { readValues } from './list-values.ts';

const route = getRouteApi('/session/policies/lists');

export function ListsPage(): ReactNode {
  const { list } = route.useSearch();
  const lists = useQuery(listsQuery);
  const { mayManage } = useRights();
  return (
    <Page
      title="Lists"
      lead="Values that policies refer to by a name: partner domains, allowed tools. A change judges from the next decision on."
      actions={
        <>
          <ButtonLink to="/policies" variant="default" size="xs">
            All policies
          </ButtonLink>
          {mayManage && <NewList />}
        </>
      }
    >
      <QueryView query={lists}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="policies" title="No lists yet">
              A condition refers to one by “is in” or “has some of”.
            </Empty>
          ) : (
            <DataTable
              label="Lists"
              rows={found}
              toKey={({ name }) => name}
              columns={[
                {
                  title: 'List',
                  cell: ({ name, description }) => (
                    <>
                      <RowLink to="/policies/lists" search={{ list: name }}>
                        {name}
                      </RowLink>
                      <Text size="xs" c="dimmed" lineClamp={1}>
                        {markInvisible(description)}
                      </Text>
                    </>
                  ),
                },
                {
                  title: 'Values',
                  isShort: true,
                  cell: ({ count }) => (
                    <span className="numbers">{count.toLocaleString('en')}</span>
                  ),
                },
                { title: 'Changed', isEnd: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
              ]}
            />
          )
        }
      </QueryView>
      {list !== undefined && <ListPart key={list} name={list} />}
    </Page>
  );
}

function NewList(): ReactNode {
  const navigate = route.useNavigate();
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const form = useForm({
    initialValues: { name: '', description: '', values: '', workspaceId: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'A list has a name' : null),
      values: (values) => readValues(values).problem,
    },
  });
  const make = useChange({
    change: ({ name, description, values, workspaceId }: typeof form.values) =>
      readData(
        api.PUT('/api/v1/policy-lists/{name}', {
          params: { path: { name: name.trim() } },
          body: {
            values: readValues(values).values,
            description,
            ...(workspaceId !== '' && { workspaceId }),
          },
        }),
      ),
    refresh: ['policy-lists'],
    form,
    onDone: ({ name }) => void navigate({ search: { list: name } }),
  });
  return (
    <DialogButton
      label="New list"
      title="New list"
      submitLabel="Make the list"
      form={form}
      mutation={make}
      buttonProps={PRIMARY}
    >
      <TextInput
        label="Name"
        description="Lower-case letters, digits, - and _"
        maxLength={64}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput label="Description" maxLength={500} {...form.getInputProps('description')} />
      {workspaces.length > 1 && (
        <Select
          label="Workspace"
          description="Whose policies may refer to it; it stays as it is"
          data={[
            { value: '', label: 'All workspaces' },
            ...workspaces.map(({ _id, name }) => ({ value: _id, label: markInvisible(name) })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('workspaceId')}
        />
      )}
      <Textarea
        label="Values"
        description="One per line, at most 10,000"
        autosize
        minRows={4}
        maxRows={14}
        {...form.getInputProps('values')}
      />
    </DialogButton>
  );
}
