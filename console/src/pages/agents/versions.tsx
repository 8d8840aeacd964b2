// The versions by which an agent called itself, in the order in which they appeared.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable } from '../../parts/lists/data-table.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { createVersionsQuery } from './agent-queries.ts';

export function Versions({ agentId }: { agentId: string }): ReactNode {
  const { data: versions = [] } = useQuery(createVersionsQuery(agentId));
  if (versions.length === 0) return null;
  return (
    <Section title="Versions" lead="The versions that the agent gave in its decisions.">
      <DataTable
        label="Versions"
        isPlain
        rows={versions.toReversed()}
        toKey={({ version }) => version}
        columns={[
          { title: 'Version', cell: ({ version }) => markInvisible(version) },
          { title: 'Decisions', isEnd: true, cell: ({ traces }) => traces.toLocaleString('en') },
          { title: 'First', isEnd: true, cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} /> },
          { title: 'Last', isEnd: true, cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
        ]}
      />
    </Section>
  );
}
