// Begins with a preset: what it would list is shown first, and then listed.
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { showNote, useChange } from '../../parts/forms/use-change.ts';
import { Section } from '../../parts/layout/section.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Problem } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { listFurther } from './entry-words.ts';
import { toWorkspaceHeader } from './tool-queries.ts';
import { ENTRY_COLUMNS } from './tool-table.tsx';
import { WorkspaceSelect } from './workspace-select.tsx';

type Preset = Extract<components['schemas']['ToolImportInput'], { preset: string }>['preset'];
type Imported = components['schemas']['ToolImport'];
type Proposed = Imported['tools'][number];

const PRESETS: readonly { value: Preset; label: string }[] = [
  { value: 'coding-agents', label: 'Coding agents' },
  { value: 'mcp-filesystem', label: 'MCP: filesystem' },
  { value: 'mcp-fetch', label: 'MCP: fetch' },
  { value: 'mcp-github', label: 'MCP: GitHub' },
  { value: 'mcp-slack', label: 'MCP: Slack' },
];

const STATES: Record<Proposed['state'], string> = {
  new: 'New',
  same: 'Listed so already',
  stricter: 'Stricter than listed',
  looser: 'Looser than listed: left alone',
};

const COLUMNS: readonly Column<Proposed>[] = [
  { title: 'Tool', cell: (proposed) => <ProposedName {...proposed} /> },
  ...ENTRY_COLUMNS,
  { title: 'State', cell: ({ state }) => STATES[state] },
];

interface Choice {
  preset: Preset;
  server: string;
  workspaceId: string;
}

const FIRST: Choice = { preset: 'coding-agents', server: '', workspaceId: '' };

const importPreset = ({ preset, server, workspaceId }: Choice, apply: boolean): Promise<Imported> =>
  readData(
    api.POST('/api/v1/tools/import', {
      params: toWorkspaceHeader(workspaceId),
      body: { preset, apply, ...(server.trim() !== '' && { server: server.trim() }) },
    }),
  );

const countChanging = ({ tools }: Imported): number =>
  tools.filter(({ state }) => state === 'new' || state === 'stricter').length;

export function ToolPresets(): ReactNode {
  const [choice, setChoice] = useState(FIRST);
  const preview = useChange({ change: (chosen: Choice) => importPreset(chosen, false) });
  const apply = useChange({
    change: (chosen: Choice) => importPreset(chosen, true),
    refresh: ['tools'],
    onDone({ applied }) {
      preview.reset();
      showNote(`Listed: ${applied.length.toLocaleString('en')}`);
    },
  });
  /** What is shown is of the choice as it stands. */
  function choose(changed: Partial<Choice>): void {
    setChoice({ ...choice, ...changed });
    preview.reset();
    apply.reset();
  }
  return (
    <Section
      title="Begin with a preset"
      lead="What common tools do. It is shown first; what would loosen a tool that you have listed is left alone."
    >
      <Group gap="xs" align="flex-end">
        <Select
          label="Preset"
          data={PRESETS.map((preset) => ({ ...preset }))}
          allowDeselect={false}
          value={choice.preset}
          onChange={(preset) => choose({ preset: (preset ?? FIRST.preset) as Preset })}
        />
        <TextInput
          label="Server"
          placeholder="As in the preset"
          maxLength={200}
          value={choice.server}
          onChange={({ currentTarget: { value } }) => choose({ server: value })}
        />
        <WorkspaceSelect
          value={choice.workspaceId}
          onChange={(workspaceId) => choose({ workspaceId })}
        />
        <Button
          variant="default"
          loading={preview.isPending}
          onClick={() => preview.mutate(choice)}
        >
          Show what it lists
        </Button>
      </Group>
      {preview.error && <Problem error={preview.error} />}
      {preview.data && (
        <Stack gap="sm" align="stretch">
          <DataTable
            label="What it lists"
            rows={preview.data.tools}
            toKey={({ name, entry }) => JSON.stringify([name, entry.server, entry.match])}
            columns={COLUMNS}
            isPlain
          />
          {apply.error && <Problem error={apply.error} />}
          <Button
            w="fit-content"
            loading={apply.isPending}
            disabled={countChanging(preview.data) === 0}
            onClick={() => apply.mutate(choice)}
          >
            {countChanging(preview.data) === 0 ? 'All of it is listed' : 'List them'}
          </Button>
        </Stack>
      )}
    </Section>
  );
}

function ProposedName({ name, entry }: Proposed): ReactNode {
  return (
    <>
      <Text span size="sm" fw={550}>
        {markInvisible(name)}
      </Text>
      {listFurther(entry).map((note) => (
        <Text key={note} size="xs" c="dimmed" lineClamp={2}>
          {note}
        </Text>
      ))}
    </>
  );
}
