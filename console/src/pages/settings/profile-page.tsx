// The own account: name, language, time zone, who decides while one is away, and the organisations it belongs to.
import { Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { KeysSwitch } from '../../parts/keys/keys-switch.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { QueryView } from '../../parts/states.tsx';
import { useSession } from '../../session/session.ts';
import { DelegationsSection } from './members/delegations.tsx';
import { SettingsFrame } from './settings-frame.tsx';
import { toTitle } from '../../parts/words.ts';

export function ProfilePage(): ReactNode {
  const { user } = useSession();
  return (
    <SettingsFrame title="Profile" lead={user.email}>
      <ProfileForm />
      <Section title="Keyboard">
        <KeysSwitch />
      </Section>
      <DelegationsSection />
      <Memberships />
    </SettingsFrame>
  );
}

function ProfileForm(): ReactNode {
  const { name, timezone, locale } = useSession().user;
  const form = useStoredForm({ name, timezone, locale });
  const save = useChange({
    change: (body: typeof form.values) => readData(api.PATCH('/api/v1/auth/profile', { body })),
    refresh: ['session'],
    note: 'The profile is saved',
    form,
  });
  return (
    <Section title="You">
      <PageForm
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <TextInput label="Name" autoComplete="name" required {...form.getInputProps('name')} />
        <Select
          label="Time zone"
          description="Of the times in your mails"
          searchable
          allowDeselect={false}
          data={listTimeZones(timezone)}
          {...form.getInputProps('timezone')}
        />
        <TextInput
          label="Language"
          description="Such as en or de-AT"
          {...form.getInputProps('locale')}
        />
      </PageForm>
    </Section>
  );
}

const listTimeZones = (present: string): string[] =>
  [...new Set([present, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();

function Memberships(): ReactNode {
  const organizations = useQuery({
    queryKey: ['organizations'],
    queryFn: () => readData(api.GET('/api/v1/auth/me/orgs')),
  });
  const leave = useChange({
    change: (id: string) =>
      readData(api.DELETE('/api/v1/auth/me/orgs/{id}', { params: { path: { id } } })),
    refresh: ['organizations'],
    note: 'You have left',
  });
  return (
    <Section title="Organisations" lead="The account menu switches between them.">
      <QueryView query={organizations}>
        {(found) => (
          <DataTable
            label="Organisations"
            isPlain
            rows={found}
            toKey={({ organizationId }) => organizationId}
            columns={[
              {
                title: 'Organisation',
                cell: ({ name, isCurrent }) => (
                  <Text size="sm" fw={550}>
                    {name}
                    {isCurrent ? ' (this one)' : ''}
                  </Text>
                ),
              },
              { title: 'Role', cell: ({ role }) => toTitle(role) },
              {
                title: 'Actions',
                isTitleHidden: true,
                isEnd: true,
                cell: ({ organizationId, name, isCurrent }) =>
                  !isCurrent && (
                    <RowActions>
                      <ConfirmButton
                        label="Leave"
                        title={`Leave ${name}?`}
                        mutation={leave}
                        onConfirm={() => leave.mutateAsync(organizationId)}
                        isDangerous
                        buttonProps={{ 'aria-label': `Leave ${name}` }}
                      >
                        Only an owner or admin of it can invite you again.
                      </ConfirmButton>
                    </RowActions>
                  ),
              },
            ]}
          />
        )}
      </QueryView>
    </Section>
  );
}
