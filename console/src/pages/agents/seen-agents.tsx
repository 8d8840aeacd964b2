// Agents that decisions name and that are not registered: one click adopts each, with the decisions that it made before.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { seenAgentsQuery } from '../../api/shared-queries.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ShownOnce } from '../../parts/forms/shown-once.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { Section } from '../../parts/layout/section.tsx';
import { TextLink } from '../../parts/links.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { Problem } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';

type NewAgent = components['schemas']['NewAgent'];
type Seen = components['schemas']['SeenAgent'];

export function SeenAgents(): ReactNode {
  const { mayManage } = useRights();
  const { data: seen = [] } = useQuery(seenAgentsQuery);
  const [made, setMade] = useState<NewAgent | null>(null);
  return (
    <>
      {seen.length > 0 && (
        <Section
          title="Seen, not registered"
          lead="Names in decisions of a workspace key. Once registered, an agent has its page, its limits and a pause, and the decisions that it made before are its own."
        >
          <DataTable
            label="Seen, not registered"
            rows={seen}
            toKey={({ name }) => name}
            columns={[
              {
                title: 'Name',
                cell: ({ name }) => (
                  <TextLink to="/live" search={{ agent: name }} size="sm">
                    {markInvisible(name)}
                  </TextLink>
                ),
              },
              {
                title: 'Decisions',
                isEnd: true,
                cell: ({ decisions }) => decisions.toLocaleString('en'),
              },
              { title: 'Last decision', isEnd: true, cell: (one) => <Ago at={one.lastActive} /> },
              ...(mayManage
                ? [
                    {
                      title: 'Actions',
                      isTitleHidden: true,
                      isEnd: true,
                      cell: (one: Seen) => <Adopt seen={one} onMade={setMade} />,
                    },
                  ]
                : []),
            ]}
          />
        </Section>
      )}
      <ShownOnce
        title={`Key of ${made?.name ?? 'the agent'}`}
        label="key"
        secret={made?.apiKey ?? null}
        onClose={() => setMade(null)}
      >
        The agent may go on with the key that it has. This one posts decisions of this agent alone.
      </ShownOnce>
    </>
  );
}

function Adopt({ seen, onMade }: { seen: Seen; onMade: (made: NewAgent) => void }): ReactNode {
  const register = useChange({
    change: () => readData(api.POST('/api/v1/agents', { body: { name: seen.name } })),
    refresh: ['agents'],
    onDone: onMade,
  });
  return (
    <RowActions>
      <Button
        variant="default"
        size="xs"
        aria-label={`Register ${seen.name}`}
        loading={register.isPending}
        onClick={() => register.mutate()}
      >
        Register
      </Button>
      {register.error && <Problem error={register.error} />}
    </RowActions>
  );
}
