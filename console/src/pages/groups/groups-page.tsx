// Groups: held and blocked decisions of one cause as one thing, to look at five and decide all.
import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useStreamRefresh } from '../../api/stream-refresh.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { GroupCard } from './group-card.tsx';
import { createGroupsQuery, type GroupKind } from './group-queries.ts';

const route = getRouteApi('/session/groups');

export function GroupsPage(): ReactNode {
  const { kind } = route.useSearch();
  const groups = useQuery(createGroupsQuery(kind));
  useStreamRefresh({
    queryKey: ['groups'],
    cost: 1,
    isForDecision: ({ status }) => status !== 'approved',
    isForReview: () => true,
  });
  return (
    <Page
      title="Groups"
      lead="Decisions that were stopped by the same policy, for the same reason, at the same tools."
      actions={<Kinds kind={kind} />}
    >
      <QueryView query={groups}>
        {({ data, since }) =>
          data.length === 0 ? (
            <NoGroup kind={kind} />
          ) : (
            <Stack gap="sm">
              {data.map((group) => (
                <GroupCard key={group.group} group={group} />
              ))}
              {since && (
                <Text size="sm" c="dimmed">
                  Based on the newest 10,000 held and blocked decisions, since <Ago at={since} />.
                </Text>
              )}
            </Stack>
          )
        }
      </QueryView>
    </Page>
  );
}

function Kinds({ kind }: { kind: GroupKind | undefined }): ReactNode {
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label="Groups"
      value={kind ?? 'all'}
      data={[
        { value: 'all', label: 'All' },
        { value: 'waiting', label: 'Waiting' },
        { value: 'blocked', label: 'Blocked' },
        { value: 'muted', label: 'Muted' },
      ]}
      onChange={(value) =>
        void navigate({ search: value === 'all' ? {} : { kind: value as GroupKind } })
      }
    />
  );
}

const NoGroup = ({ kind }: { kind: GroupKind | undefined }): ReactNode =>
  kind === undefined ? (
    <Empty icon="groups" title="Nothing was held or blocked">
      As soon as a policy stops decisions, those of one cause stand here as one group.
    </Empty>
  ) : (
    <Empty icon="groups" title="No such group">
      Another tab may have some.
    </Empty>
  );
