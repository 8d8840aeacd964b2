// What each role may do.
import type { ReactNode } from 'react';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import type { Role } from '../../../session/session.ts';
import { toTitle } from '../../../parts/words.ts';

const MEANINGS: Readonly<Record<Role, string>> = {
  owner: 'Everything, also deletion, sign-on and erasure',
  admin: 'Policies, agents, keys, members, settings',
  reviewer: 'Decides held decisions, and reviews changes of policies',
  member: 'Assigns and escalates, opens incidents, writes assessments',
  viewer: 'Reads',
  auditor: 'Reads everything that is evidence',
};

export const findMeaning = (role: Role): string => MEANINGS[role];

export function RoleTable(): ReactNode {
  return (
    <DataTable
      label="Roles"
      isPlain
      rows={Object.entries(MEANINGS)}
      toKey={([role]) => role}
      columns={[
        { title: 'Role', cell: ([role]) => toTitle(role) },
        { title: 'May', cell: ([, meaning]) => meaning },
      ]}
    />
  );
}
