// Changes the password.
import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { PageForm } from '../../../parts/forms/form-dialog.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { TextLink } from '../../../parts/links.tsx';

type Password = components['schemas']['SecuritySettings']['password'];

export function PasswordSection({ password }: { password: Password }): ReactNode {
  if (!password.isSet)
    return (
      <Section
        title="Password"
        lead={
          <>
            You have none.{' '}
            <TextLink to="/forgot-password" inherit>
              Set one by mail
            </TextLink>{' '}
            to sign in without your provider.
          </>
        }
      />
    );
  const { ageDays } = password;
  return (
    <Section title="Password" lead={ageDays === null ? undefined : describeAge(ageDays)}>
      <PasswordForm />
    </Section>
  );
}

function describeAge(days: number): string {
  if (days === 0) return 'Changed today.';
  return `Changed ${days === 1 ? 'a day' : `${days} days`} ago.`;
}

function PasswordForm(): ReactNode {
  const form = useForm({ initialValues: { currentPassword: '', newPassword: '' } });
  const change = useChange({
    change: (body: typeof form.values) =>
      readData(api.POST('/api/v1/auth/change-password', { body })),
    refresh: ['security', 'sessions'],
    note: 'The password is changed; other sessions have ended',
    form,
    onDone: form.reset,
  });
  return (
    <PageForm
      submitLabel="Change it"
      mutation={change}
      isChanged={form.isDirty()}
      onSubmit={form.onSubmit((values) => change.mutate(values))}
    >
      <PasswordInput
        label="Present password"
        autoComplete="current-password"
        {...form.getInputProps('currentPassword')}
      />
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        {...form.getInputProps('newPassword')}
      />
    </PageForm>
  );
}
