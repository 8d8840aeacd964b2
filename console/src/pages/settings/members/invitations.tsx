// Invitations that wait, and the form for another one.
import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { DialogButton, PRIMARY } from '../../../parts/forms/dialog-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../../parts/lists/data-table.tsx';
import { formatToMinute } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import { findMeaning } from './role-meanings.tsx';
import { toTitle } from '../../../parts/words.ts';

type Invitation = components['schemas']['Invitation'];
type InvitationInput = components['schemas']['InvitationInput'];

const refresh = ['invitations'];

export function Invitations(): ReactNode {
  const { data: invitations = [] } = useQuery({
    queryKey: refresh,
    queryFn: () => readData(api.GET('/api/v1/team/invites')),
  });
  const { mayManage } = useRights();
  if (invitations.length === 0) return null;
  return (
    <Section title="Invited">
      <DataTable
        label="Invitations"
        isPlain
        rows={invitations}
        toKey={({ _id }) => _id}
        columns={[
          { title: 'E-mail', cell: ({ email }) => email },
          { title: 'Role', cell: ({ role }) => toTitle(role) },
          { title: 'Invited by', cell: ({ inviterEmail }) => inviterEmail },
          { title: 'Valid until', cell: ({ expiresAt }) => formatToMinute(expiresAt) },
          ...(mayManage
            ? [
                {
                  title: 'Actions',
                  isTitleHidden: true,
                  isEnd: true,
                  cell: (invitation: Invitation) => <Actions invitation={invitation} />,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function Actions({ invitation: { _id: id, email } }: { invitation: Invitation }): ReactNode {
  const params = { path: { id } };
  const resend = useChange({
    change: () => readData(api.POST('/api/v1/team/invites/{id}/resend', { params })),
    refresh,
    note: `${email} is invited again`,
  });
  const revoke = useChange({
    change: () => readData(api.DELETE('/api/v1/team/invites/{id}', { params })),
    refresh,
    note: 'The invitation is withdrawn',
  });
  return (
    <RowActions>
      <ConfirmButton
        label="Send again"
        title={`Send the invitation to ${email} again?`}
        mutation={resend}
        onConfirm={() => resend.mutateAsync()}
        buttonProps={{ 'aria-label': `Send again to ${email}` }}
      >
        The link of the earlier mail stops working.
      </ConfirmButton>
      <ConfirmButton
        label="Withdraw"
        title={`Withdraw the invitation of ${email}?`}
        mutation={revoke}
        onConfirm={() => revoke.mutateAsync()}
        isDangerous
        buttonProps={{ 'aria-label': `Withdraw ${email}` }}
      >
        Its link stops working at once.
      </ConfirmButton>
    </RowActions>
  );
}

const ROLES = ['owner', 'admin', 'reviewer', 'member', 'viewer', 'auditor'] as const;
/** Owners and auditors are made by owners alone. */
const BY_OWNERS: readonly string[] = ['owner', 'auditor'];

export function InviteButton(): ReactNode {
  const { isOwner } = useRights();
  const form = useForm<InvitationInput>({ initialValues: { email: '', role: 'member' } });
  const invite = useChange({
    change: (body: InvitationInput) => readData(api.POST('/api/v1/team/invite', { body })),
    refresh,
    note: 'The invitation is on its way',
    form,
  });
  return (
    <DialogButton
      label="Invite a person"
      title="Invite a person"
      submitLabel="Invite"
      form={form}
      mutation={invite}
      buttonProps={PRIMARY}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Select
        label="Role"
        allowDeselect={false}
        description={findMeaning(form.values.role ?? 'member')}
        data={ROLES.filter((role) => isOwner || !BY_OWNERS.includes(role)).map((value) => ({
          value,
          label: toTitle(value),
        }))}
        {...form.getInputProps('role')}
      />
    </DialogButton>
  );
}
