// Who belongs to the organisation, in which role, and who is invited.
import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { membersQuery } from '../../../api/shared-queries.ts';
import { ConfirmDialog } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Section } from '../../../parts/layout/section.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Sign } from '../../../parts/verdict.tsx';
import { useRights, useSession } from '../../../session/session.ts';
import { SettingsFrame } from '../settings-frame.tsx';
import { Invitations, InviteButton } from './invitations.tsx';
import { findMeaning, RoleTable } from './role-meanings.tsx';
import { MemberActions } from './member-actions.tsx';
import { toTitle } from '../../../parts/words.ts';

export type Member = components['schemas']['Member'];
type GivenRole = components['schemas']['RoleChange']['role'];

/** Roles that are given to members here; reviewers and auditors are invited. */
const ROLES: readonly { value: GivenRole; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'admin', label: 'Admin' },
  { value: 'member', label: 'Member' },
  { value: 'viewer', label: 'Viewer' },
];

export function MembersPage(): ReactNode {
  const members = useQuery(membersQuery);
  const { mayManage } = useRights();
  return (
    <SettingsFrame
      title="Members"
      lead="Who belongs to the organisation, and what each may do."
      actions={mayManage && <InviteButton />}
    >
      <QueryView query={members}>{(found) => <MemberTable members={found} />}</QueryView>
      <Invitations />
      <Section title="What the roles may do">
        <RoleTable />
      </Section>
    </SettingsFrame>
  );
}

function MemberTable({ members }: { members: readonly Member[] }): ReactNode {
  const { mayManage } = useRights();
  const { user } = useSession();
  return (
    <DataTable
      label="Members"
      rows={members}
      toKey={({ userId }) => userId}
      columns={[
        {
          title: 'Member',
          cell: ({ name, email, userId }) => (
            <>
              <Text size="sm" fw={550}>
                {name}
                {userId === user._id ? ' (you)' : ''}
              </Text>
              <Text size="xs" c="dimmed">
                {email}
              </Text>
            </>
          ),
        },
        { title: 'Role', cell: (member) => <RoleSelect member={member} /> },
        {
          title: 'State',
          cell: ({ isActive }) => (
            <Sign tone={isActive ? 'good' : 'neutral'}>{isActive ? 'Active' : 'Suspended'}</Sign>
          ),
        },
        {
          title: 'Second factor',
          cell: ({ mfaEnabled }) => (
            <Sign tone={mfaEnabled ? 'good' : 'warning'}>{mfaEnabled ? 'On' : 'Off'}</Sign>
          ),
        },
        { title: 'Joined', isEnd: true, cell: ({ joinedAt }) => <Ago at={joinedAt} /> },
        ...(mayManage
          ? [
              {
                title: 'Actions',
                isTitleHidden: true,
                isEnd: true,
                cell: (member: Member) => <MemberActions member={member} />,
              },
            ]
          : []),
      ]}
    />
  );
}

/** Owners are changed by owners alone, and no one changes their own role here. */
function RoleSelect({ member }: { member: Member }): ReactNode {
  const { mayManage, isOwner } = useRights();
  const { user } = useSession();
  const { userId, role, name } = member;
  const change = useChange({
    change: (next: GivenRole) => {
      const params = { path: { userId } };
      return readData(
        api.PATCH('/api/v1/team/members/{userId}/role', { params, body: { role: next } }),
      );
    },
    refresh: ['members'],
    note: `${name} has another role`,
  });
  const [asked, setAsked] = useState<GivenRole | null>(null);
  const mayChange = mayManage && userId !== user._id && (isOwner || role !== 'owner');
  if (!mayChange) return toTitle(role);
  const offered = ROLES.filter(({ value }) => isOwner || value !== 'owner');
  const present = offered.some(({ value }) => value === role)
    ? []
    : [{ value: role, label: toTitle(role) }];
  return (
    <>
      <Select
        aria-label={`Role of ${name}`}
        size="xs"
        w={120}
        allowDeselect={false}
        data={[...present, ...offered]}
        value={role}
        onChange={(next) => next && next !== role && setAsked(next as GivenRole)}
      />
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Change the role of ${name}?`}
        confirmLabel="Change the role"
        mutation={change}
        onConfirm={async () => asked && change.mutateAsync(asked)}
        onClose={() => setAsked(null)}
        isDangerous={asked === 'owner' || asked === 'admin'}
      >
        From the next request on: {toTitle(asked ?? role)}. {findMeaning(asked ?? role)}.
      </ConfirmDialog>
    </>
  );
}
