// Chooses the workspace whose tools are meant, where there are several.
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { workspacesQuery } from '../../api/shared-queries.ts';
import { markInvisible } from '../../parts/text.tsx';

interface Props {
  /** Empty: the default one. */
  value?: string;
  onChange?: (workspaceId: string) => void;
}

export function WorkspaceSelect({ value = '', onChange }: Props): ReactNode {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  if (workspaces.length < 2) return null;
  const chosen = value === '' ? workspaces.find(({ isDefault }) => isDefault)?._id : value;
  return (
    <Select
      label="Workspace"
      data={workspaces.map(({ _id, name }) => ({ value: _id, label: markInvisible(name) }))}
      allowDeselect={false}
      value={chosen ?? null}
      onChange={(id) => onChange?.(id ?? '')}
    />
  );
}

/** The name of a workspace where there are several; null: there is one. */
export function useWorkspaceName(): (workspaceId: string) => string | null {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  return (workspaceId) =>
    workspaces.length < 2
      ? null
      : markInvisible(workspaces.find(({ _id }) => _id === workspaceId)?.name ?? workspaceId);
}
