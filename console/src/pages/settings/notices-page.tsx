// What a person is notified of, by which way, and when many notices become a digest.
import { Checkbox, Group, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { Section } from '../../parts/layout/section.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { QueryView } from '../../parts/states.tsx';
import { NOTICES } from './notice-names.ts';
import { SettingsFrame } from './settings-frame.tsx';

type Preferences = components['schemas']['Preferences'];
type Way = keyof Preferences['notificationOptOuts'];

const preferencesQuery = {
  queryKey: ['preferences'],
  queryFn: () => readData(api.GET('/api/v1/auth/me/preferences')),
};

export function NoticesPage(): ReactNode {
  const preferences = useQuery(preferencesQuery);
  return (
    <SettingsFrame title="Notifications" lead="What reaches you, and how.">
      <QueryView query={preferences}>
        {(found) => (
          <>
            <NoticeTable preferences={found} />
            <DigestForm digest={found.noticeDigest} />
          </>
        )}
      </QueryView>
    </SettingsFrame>
  );
}

const WAYS: readonly { way: Way; label: string }[] = [
  { way: 'inApp', label: 'In the console' },
  { way: 'email', label: 'By mail' },
];

function NoticeTable({ preferences }: { preferences: Preferences }): ReactNode {
  const { notificationOptOuts } = preferences;
  const change = useChange({
    change({ way, name }: { way: Way; name: string }) {
      const out = notificationOptOuts[way];
      const next = out.includes(name) ? out.filter((one) => one !== name) : [...out, name];
      return readData(
        api.PATCH('/api/v1/auth/me/preferences', {
          body: { notificationOptOuts: { [way]: next } },
        }),
      );
    },
    refresh: ['preferences'],
  });
  return (
    <Section title="What reaches you">
      <DataTable
        label="Notifications"
        isPlain
        rows={NOTICES}
        toKey={({ name }) => name}
        columns={[
          { title: 'About', cell: ({ label }) => label },
          ...WAYS.map(({ way, label: wayLabel }): Column<(typeof NOTICES)[number]> => ({
            title: wayLabel,
            cell: ({ name, label }) => (
              <Checkbox
                aria-label={`${label}: ${wayLabel}`}
                checked={!notificationOptOuts[way].includes(name)}
                disabled={change.isPending}
                onChange={() => change.mutate({ way, name })}
              />
            ),
          })),
        ]}
      />
    </Section>
  );
}

function DigestForm({ digest }: { digest: Preferences['noticeDigest'] }): ReactNode {
  const form = useStoredForm(digest);
  const save = useChange({
    change: (noticeDigest: Preferences['noticeDigest']) =>
      readData(api.PATCH('/api/v1/auth/me/preferences', { body: { noticeDigest } })),
    refresh: ['preferences'],
    note: 'The digest is saved',
    form,
  });
  return (
    <Section
      title="Digest"
      lead="When many notices come at once, the first ones arrive singly and the others together."
    >
      <PageForm
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <Group grow preventGrowOverflow={false}>
          <NumberInput label="Notices one by one" min={1} {...form.getInputProps('after')} />
          <NumberInput label="Within minutes" min={1} {...form.getInputProps('minutes')} />
        </Group>
      </PageForm>
    </Section>
  );
}
