// The policy time machine: what the rule would have done to past decisions, with what stays unknown as a headline.
import { Button, Group, Paper, Progress, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { waitLonger } from '../../../api/wait-longer.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { Figures } from '../../../parts/layout/facts.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { RowLink } from '../../../parts/lists/row-link.tsx';
import { DecisionName } from '../../../parts/record/decision-name.tsx';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { Verdict } from '../../../parts/verdict.tsx';
import { useRights } from '../../../session/session.ts';
import type { Draft } from '../editor/use-draft.ts';
import { formatPercent } from '../policy-words.ts';

type Replay = components['schemas']['Replay'];

const route = getRouteApi('/session/policies/$policyId');
const POLL_MS = 700;
const LIMITS = [1000, 10_000, 100_000];

const isUnfinished = ({ state }: Replay): boolean => state === 'queued' || state === 'running';

const createReplayQuery = (id: string) => ({
  queryKey: ['replays', id],
  queryFn: () => readData(api.GET('/api/v1/policies/replays/{id}', { params: { path: { id } } })),
});

export function ReplayPart({ draft }: { draft: Draft }): ReactNode {
  const { replay } = route.useSearch();
  const { mayManage } = useRights();
  return (
    <Stack gap="md">
      {mayManage ? (
        <ReplayStart draft={draft} />
      ) : (
        <Text size="sm" c="dimmed">
          Owners and admins start replays.
        </Text>
      )}
      {replay !== undefined && <ReplayView id={replay} />}
    </Stack>
  );
}

function ReplayStart({ draft: { policy, contents } }: { draft: Draft }): ReactNode {
  const navigate = route.useNavigate();
  const [limit, setLimit] = useState(String(LIMITS[1]));
  const start = useMutation({
    mutationFn(): Promise<Replay> {
      if (!contents) throw new Error('The rule has errors');
      // One that is off is tried as if it were enabled.
      const enabled = contents.enabled || policy?.enabled !== true;
      const body = { policy: { ...contents, enabled }, limit: Number(limit) };
      if (!policy) return readData(api.POST('/api/v1/policies/_new/replay', { body }));
      const params = { path: { id: policy.id } };
      return readData(api.POST('/api/v1/policies/{id}/replay', { params, body }));
    },
    onSuccess: ({ id }) => navigate({ search: (known) => ({ ...known, replay: id }) }),
  });
  return (
    <Paper p="md" component="section" aria-label="Replay">
      <Title order={2}>What would it have done?</Title>
      <Text size="sm" c="dimmed" mb="sm">
        The rule judges past decisions again, with the other policies as they are now. Nothing
        changes by it.
      </Text>
      <Group gap="xs" align="flex-end">
        <Select
          label="How many, the newest first"
          data={LIMITS.map((value) => ({
            value: String(value),
            label: value.toLocaleString('en'),
          }))}
          value={limit}
          onChange={(value) => setLimit(value ?? limit)}
          allowDeselect={false}
          w={220}
        />
        <Button
          loading={start.isPending}
          disabled={contents === null}
          onClick={() => start.mutate()}
        >
          Replay
        </Button>
      </Group>
      {start.error && <Problem error={start.error} />}
    </Paper>
  );
}

function ReplayView({ id }: { id: string }): ReactNode {
  const replay = useQuery({
    ...createReplayQuery(id),
    refetchInterval: (query) =>
      query.state.data && !isUnfinished(query.state.data) ? false : waitLonger(POLL_MS, query),
  });
  return (
    <QueryView query={replay}>
      {(found) => (
        <Stack gap="md" component="section" aria-label="Outcome of the replay">
          <ReplayProgress replay={found} />
          {found.done > 0 && <Outcome replay={found} />}
        </Stack>
      )}
    </QueryView>
  );
}

function ReplayProgress({ replay }: { replay: Replay }): ReactNode {
  const { id, state, done, total } = replay;
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      readData(api.POST('/api/v1/policies/replays/{id}/cancel', { params: { path: { id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['replays', id] }),
  });
  const text = `${done.toLocaleString('en')} of ${total === null ? '…' : total.toLocaleString('en')} decisions`;
  if (!isUnfinished(replay))
    return (
      <Text size="sm" role="status" fw={600}>
        {STATES[state] ?? state}: {text}
      </Text>
    );
  return (
    <Group gap="sm">
      <Progress
        value={total ? (100 * done) / total : 0}
        aria-label="Decisions that are judged again"
        flex={1}
        miw={120}
      />
      <Text size="sm" className="numbers">
        {text}
      </Text>
      <Button variant="default" size="xs" onClick={() => cancel.mutate()}>
        Stop
      </Button>
    </Group>
  );
}

const STATES: Readonly<Record<string, string>> = {
  done: 'Done',
  cancelled: 'Stopped',
  failed: 'It failed',
};
const REASONS: Readonly<Record<string, string>> = {
  erased: 'erased',
  unstored: 'never stored',
  scrubbed: 'scrubbed',
  engine: 'judged by another engine',
  error: 'in error',
};

function Outcome({ replay }: { replay: Replay }): ReactNode {
  const { allowToBlock, blockToAllow, cannotTell, unchanged, done, cannotTellBecause } = replay;
  const { approvedToFlagged, flaggedToApproved, halting } = replay;
  const reasons = Object.entries(cannotTellBecause)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count.toLocaleString('en')} ${REASONS[reason] ?? reason}`);
  return (
    <>
      <Figures
        items={[
          {
            label: 'Let through, would be blocked',
            value: allowToBlock.toLocaleString('en'),
            note: allowToBlock > 0 ? 'Look at these first' : 'None',
          },
          ...(halting > 0
            ? [{ label: 'Would halt as well', value: halting.toLocaleString('en') }]
            : []),
          {
            label: 'Cannot tell',
            value: `${cannotTell.toLocaleString('en')} (${formatPercent(cannotTell / done)})`,
            note: reasons.join(', ') || 'Everything is on record',
          },
          {
            label: 'Blocked, would be let through',
            value: blockToAllow.toLocaleString('en'),
            note: blockToAllow > 0 ? 'Are they harmless?' : 'None',
          },
          {
            label: 'Approved, would be held',
            value: approvedToFlagged.toLocaleString('en'),
            note: approvedToFlagged > 0 ? 'As many more reviews' : 'None',
          },
          {
            label: 'Held, would be approved',
            value: flaggedToApproved.toLocaleString('en'),
            note: flaggedToApproved > 0 ? 'No person would look' : 'None',
          },
          {
            label: 'The same',
            value: (unchanged - approvedToFlagged - flaggedToApproved).toLocaleString('en'),
          },
        ]}
      />
      <Examples replay={replay} />
    </>
  );
}

const CHANGES: Readonly<Record<string, { word: string; order: number }>> = {
  allowToBlock: { word: 'Would be blocked', order: 0 },
  cannotTell: { word: 'Cannot tell', order: 1 },
  blockToAllow: { word: 'Would be let through', order: 2 },
  approvedToFlagged: { word: 'Would be held', order: 3 },
  flaggedToApproved: { word: 'Would be approved', order: 4 },
};

function Examples({ replay: { examples } }: { replay: Replay }): ReactNode {
  if (examples.length === 0) return null;
  const inOrder = examples.toSorted(
    (one, other) => (CHANGES[one.change]?.order ?? 9) - (CHANGES[other.change]?.order ?? 9),
  );
  const places = new Map(inOrder.map(({ traceId }, at) => [traceId, at]));
  return (
    <DataTable
      label="Examples"
      rows={inOrder}
      toKey={({ change, traceId }) => `${change}-${traceId}`}
      columns={[
        {
          title: 'Decision',
          cell: ({ traceId }) => (
            <RowLink to="/decisions/$traceId" params={{ traceId }}>
              <DecisionName traceId={traceId} at={places.get(traceId) ?? 0} />
            </RowLink>
          ),
        },
        { title: 'Change', cell: ({ change }) => CHANGES[change]?.word ?? change },
        { title: 'It was', cell: ({ from }) => <Verdict status={from} /> },
        {
          title: 'It would be',
          cell: ({ to, because }) =>
            to === null ? (
              <Text span size="sm" c="dimmed">
                {because === null ? 'let through or held' : (REASONS[because] ?? because)}
              </Text>
            ) : (
              <Verdict status={to} />
            ),
        },
      ]}
    />
  );
}
