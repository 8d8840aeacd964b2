// The organisation: name, privacy of data, how policies change, and its end.
import { Alert, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { organizationQuery } from '../../api/shared-queries.ts';
import { ConfirmDialog } from '../../parts/forms/confirm-button.tsx';
import { DialogButton } from '../../parts/forms/dialog-button.tsx';
import { PageForm } from '../../parts/forms/form-dialog.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createMatch } from '../../parts/forms/changed-notice.tsx';
import { useStoredForm } from '../../parts/forms/use-stored-form.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { QueryView } from '../../parts/states.tsx';
import { formatExact } from '../../parts/time.tsx';
import { endSession } from '../../session/session-end.ts';
import { useRights } from '../../session/session.ts';
import { SettingsFrame } from './settings-frame.tsx';
import { toTitle } from '../../parts/words.ts';

type Organization = components['schemas']['Organization'];
type Change = components['schemas']['OrganizationChange'];

const refresh = ['organization', 'session'];

export function OrganizationPage(): ReactNode {
  const organization = useQuery(organizationQuery);
  const { mayManage, isOwner } = useRights();
  return (
    <SettingsFrame title="Organisation" lead="What holds for all of its workspaces.">
      <QueryView query={organization}>
        {(found) => (
          <>
            {mayManage ? <NameForm organization={found} /> : <Summary organization={found} />}
            <Switches organization={found} />
            {isOwner && <Deletion organization={found} />}
          </>
        )}
      </QueryView>
    </SettingsFrame>
  );
}

function Summary({ organization }: { organization: Organization }): ReactNode {
  const { name, slug, plan } = organization;
  return (
    <Section title="Name">
      <Facts
        items={[
          ['Name', name],
          ['Short name', slug],
          ['Plan', toTitle(plan)],
        ]}
      />
    </Section>
  );
}

function useOrganizationChange(note: string) {
  return useChange({
    change: (body: Change) => readData(api.PATCH('/api/v1/organization', { body })),
    refresh,
    note,
  });
}

function NameForm({ organization }: { organization: Organization }): ReactNode {
  const form = useStoredForm({ name: organization.name });
  const save = useChange({
    change: (body: Change) =>
      readData(api.PATCH('/api/v1/organization', { body, ...createMatch(organization) })),
    refresh,
    note: 'The name is saved',
    form,
  });
  return (
    <Section title="Name">
      <PageForm
        form={form}
        mutation={save}
        isChanged={form.isDirty()}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
      >
        <TextInput label="Name" required maxLength={200} {...form.getInputProps('name')} />
      </PageForm>
      <Facts
        items={[
          ['Short name', organization.slug],
          ['Plan', toTitle(organization.plan)],
        ]}
      />
    </Section>
  );
}

const SWITCHES = [
  [
    'scrubNationalIds',
    'Recognise national identity numbers',
    'They are removed from decisions, as other personal data are',
    'National identity numbers in new decisions are kept and shown from then on.',
  ],
  [
    'requirePolicyApproval',
    'Policies change by approval only',
    'A second person approves a change before it takes effect',
    'Another owner or admin has to ask for the same. Then one person alone may change what holds decisions.',
  ],
  [
    'endSessionsOnScimDeactivate',
    'The directory ends sessions',
    'Who is deactivated there is signed out here at once',
    'Who is deactivated there may read here until the session ends.',
  ],
] as const;

function Switches({ organization }: { organization: Organization }): ReactNode {
  const { mayManage } = useRights();
  const save = useOrganizationChange('It is saved');
  const release = organization.policyApprovalRelease;
  const [asked, setAsked] = useState<(typeof SWITCHES)[number] | null>(null);
  return (
    <Section title="Privacy and control">
      {SWITCHES.map((one) => {
        const [name, label, description] = one;
        return (
          <Switch
            key={name}
            label={label}
            description={description}
            disabled={!mayManage || save.isPending}
            checked={organization[name]}
            onChange={({ currentTarget: { checked } }) =>
              checked ? save.mutate({ [name]: true }) : setAsked(one)
            }
          />
        );
      })}
      <ConfirmDialog
        isOpen={asked !== null}
        title={`${asked?.[1] ?? ''}: switch it off?`}
        confirmLabel="Switch it off"
        mutation={save}
        onConfirm={async () => asked && save.mutateAsync({ [asked[0]]: false })}
        onClose={() => setAsked(null)}
        isDangerous
      >
        {asked?.[3]} All owners and admins are notified.
      </ConfirmDialog>
      {release && (
        <Alert variant="light">
          <Text size="sm">
            That policies change without approval was asked for. It takes effect when a second owner
            or admin asks for the same, or by the owner who asked from{' '}
            {formatExact(release.ownerMayConfirmAt)} on.
          </Text>
        </Alert>
      )}
      {save.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {save.error.message}
        </Text>
      )}
    </Section>
  );
}

function Deletion({ organization }: { organization: Organization }): ReactNode {
  const form = useForm({ initialValues: { name: '' } });
  const remove = useChange({
    change: (body: { name: string }) =>
      endSession(() => readData(api.DELETE('/api/v1/organization', { body }))),
    form,
  });
  return (
    <Section
      title="Delete the organisation"
      lead="All of its decisions, members, keys and settings are deleted, for good. Export what you have to keep first."
      actions={
        <DialogButton
          label="Delete it"
          title={`Delete ${organization.name}?`}
          submitLabel="Delete it for good"
          isDangerous
          form={form}
          mutation={remove}
          buttonProps={{ c: 'var(--assay-blocked)' }}
        >
          <TextInput
            label="Name of the organisation"
            description={`Type ${organization.name} to confirm`}
            required
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
        </DialogButton>
      }
    />
  );
}
