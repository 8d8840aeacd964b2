// Chooses the workspace that the pages show, where there are several.
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getWorkspace } from '../../api/client.ts';
import { workspacesQuery } from '../../api/shared-queries.ts';
import { useRights, useSession } from '../../session/session.ts';
import { changeWorkspace } from '../../session/workspace.ts';

export function WorkspaceSwitch(): ReactNode {
  const { organization } = useSession();
  const { isReader } = useRights();
  const { data = [] } = useQuery({ ...workspacesQuery, enabled: isReader });
  if (data.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      px="sm"
      pt="md"
      label="Workspace"
      value={getWorkspace() ?? ''}
      data={[
        { value: '', label: 'All workspaces' },
        ...data.map(({ _id, name }) => ({ value: _id, label: name })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        void changeWorkspace(organization._id, value || null)
      }
    />
  );
}
