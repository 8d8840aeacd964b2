// The listed tools: a row an entry, since a name may have several.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { useRights } from '../../session/session.ts';
import { formatWords, listFurther } from './entry-words.ts';
import { ToolDialog } from './tool-dialog.tsx';
import { type CatalogueEntry, type CatalogueTool, removeListedTool } from './tool-queries.ts';
import { useWorkspaceName } from './workspace-select.tsx';

interface Row {
  tool: CatalogueTool;
  entry: CatalogueEntry;
  /** From 0 on, of the entries of its name. */
  at: number;
}

export const ENTRY_COLUMNS: readonly Column<{ entry: CatalogueEntry }>[] = [
  { title: 'Server', cell: ({ entry }) => markInvisible(entry.server ?? 'Any, or none') },
  { title: 'Does', cell: ({ entry }) => formatWords(entry.does, 'Only reads') },
  { title: 'Gives', cell: ({ entry }) => formatWords(entry.gives, 'Nothing of note') },
];

export function ToolTable({ tools }: { tools: readonly CatalogueTool[] }): ReactNode {
  const { mayManage } = useRights();
  const columns: Column<Row>[] = [
    { title: 'Tool', cell: (row) => <ToolCell {...row} /> },
    ...ENTRY_COLUMNS,
    { title: 'Needs before', cell: ({ entry }) => formatWords(entry.after, 'Nothing') },
  ];
  if (mayManage)
    columns.push({
      title: 'Actions',
      isTitleHidden: true,
      isEnd: true,
      cell: (row) => <Actions {...row} />,
    });
  return (
    <DataTable
      label="Tools"
      rows={tools.flatMap((tool) => tool.entries.map((entry, at) => ({ tool, entry, at })))}
      toKey={({ tool: { workspaceId, name }, entry: { server, match } }) =>
        JSON.stringify([workspaceId, name, server, match])
      }
      columns={columns}
    />
  );
}

function ToolCell({ tool, entry, at }: Row): ReactNode {
  const { name, description, entries, workspaceId } = tool;
  const nameWorkspace = useWorkspaceName();
  const notes = [
    at === 0 ? markInvisible(description) : '',
    nameWorkspace(workspaceId) ?? '',
    entries.length > 1 ? `Entry ${at + 1} of ${entries.length}` : '',
    ...listFurther(entry),
    entry.directory ? 'its result lists known names' : '',
  ];
  return (
    <>
      <Text span size="sm" fw={550} dir="auto">
        {markInvisible(name)}
      </Text>
      {notes
        .filter((note) => note !== '')
        .map((note) => (
          <Text key={note} size="xs" c="dimmed" lineClamp={2} dir="auto">
            {note}
          </Text>
        ))}
    </>
  );
}

function Actions({ tool, entry, at }: Row): ReactNode {
  const isWhole = listFurther(entry).length === 0;
  const number = tool.entries.length > 1 ? `, entry ${at + 1}` : '';
  return (
    <RowActions>
      {isWhole ? (
        <ToolDialog
          label="Edit"
          tool={tool}
          entry={entry}
          isListed
          buttonProps={{ 'aria-label': `Edit ${tool.name}${number}` }}
        />
      ) : (
        <Text size="xs" c="dimmed">
          Edited over the API
        </Text>
      )}
      {at === 0 && <Removal tool={tool} />}
    </RowActions>
  );
}

function Removal({ tool }: { tool: CatalogueTool }): ReactNode {
  const { name, entries } = tool;
  const remove = useChange({
    change: () => removeListedTool(tool),
    refresh: ['tools'],
    note: 'The tool is off the list',
  });
  return (
    <ConfirmButton
      label="Remove"
      title={`Take ${markInvisible(name)} off the list?`}
      mutation={remove}
      onConfirm={() => remove.mutateAsync(undefined)}
      isDangerous
      buttonProps={{ 'aria-label': `Remove ${name}` }}
    >
      {entries.length > 1 && `All ${entries.length} entries go. `}
      It then counts as the strictest: it does everything, and its result is private and written by
      outsiders.
    </ConfirmButton>
  );
}
