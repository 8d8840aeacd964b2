// Tools that agents called of late and that nothing lists, with a button that lists each.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { unlistedQuery } from '../../api/shared-queries.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { Section } from '../../parts/layout/section.tsx';
import { TextLink } from '../../parts/links.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { ListButton } from './tool-dialog.tsx';
import { useWorkspaceName } from './workspace-select.tsx';

type Called = components['schemas']['UnlistedTools']['tools'][number];

const COLUMNS: readonly Column<Called>[] = [
  { title: 'Tool', cell: (called) => <CalledName {...called} /> },
  { title: 'Server', cell: ({ server }) => markInvisible(server ?? 'None') },
  { title: 'Calls', isEnd: true, cell: ({ calls }) => calls.toLocaleString('en') },
  { title: 'Agents', cell: ({ agents }) => <Callers agents={agents} /> },
  { title: 'Last call', isEnd: true, cell: ({ lastCalledAt }) => <Ago at={lastCalledAt} /> },
];
const LISTING: Column<Called> = {
  title: 'Actions',
  isTitleHidden: true,
  isEnd: true,
  cell: ({ name, workspaceId, server }) => (
    <RowActions>
      <ListButton
        label="List it"
        tool={{ name, workspaceId, description: '' }}
        server={server}
        buttonProps={{ 'aria-label': `List it: ${name}` }}
      />
    </RowActions>
  ),
};

export function UnlistedTools(): ReactNode {
  const { mayManage } = useRights();
  const unlisted = useQuery(unlistedQuery);
  return (
    <Section
      title="Called and not listed"
      lead="Each counts as the strictest: it does everything, and its result is private and written by outsiders."
    >
      <QueryView query={unlisted}>
        {({ tools, decisions }) =>
          tools.length === 0 ? (
            <Text size="sm" c="dimmed">
              {decisions === 0
                ? 'No decision of the last 30 days was read yet.'
                : `Nothing else was called in the newest ${decisions.toLocaleString('en')} decisions.`}
            </Text>
          ) : (
            <DataTable
              label="Called and not listed"
              rows={tools}
              toKey={({ name, server, workspaceId }) => JSON.stringify([workspaceId, server, name])}
              columns={mayManage ? [...COLUMNS, LISTING] : COLUMNS}
              isPlain
            />
          )
        }
      </QueryView>
    </Section>
  );
}

function CalledName({ name, workspaceId }: Called): ReactNode {
  const workspace = useWorkspaceName()(workspaceId);
  return (
    <>
      <Text span size="sm" fw={550} dir="auto">
        {markInvisible(name)}
      </Text>
      {workspace !== null && (
        <Text size="xs" c="dimmed">
          {workspace}
        </Text>
      )}
    </>
  );
}

function Callers({ agents }: Pick<Called, 'agents'>): ReactNode {
  if (agents.length === 0) return 'None named';
  return agents.map((agent, index) => (
    <Text span key={agent} size="sm">
      {index > 0 && ', '}
      <TextLink to="/live" search={{ agent }} size="sm">
        {markInvisible(agent)}
      </TextLink>
    </Text>
  ));
}
