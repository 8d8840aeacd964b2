// One session, step by step: what it did, what people said of it, and what the policies of today would say.
import { Badge, Button, CopyButton, Grid, Group, Paper, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { membersQuery } from '../../api/shared-queries.ts';
import { useStreamRefresh } from '../../api/stream-refresh.ts';
import { StopButton } from '../../parts/halts/stop-button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { useSingleKeys } from '../../parts/keys/single-keys.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { formatCount } from '../../parts/words.ts';
import {
  createReplayQuery,
  createSessionQuery,
  createStepsQuery,
  LOADED_MAX,
  type Replayed,
  type SessionDetail,
  type Step,
} from './session-queries.ts';
import { StepList } from './step-list.tsx';
import { StepPanel } from './step-panel.tsx';
import { buildRows } from './step-rows.ts';

const route = getRouteApi('/session/sessions/$traceId');

export function SessionPage(): ReactNode {
  const { traceId } = route.useParams();
  const session = useQuery(createSessionQuery(traceId));
  const [isReplayed, setReplayed] = useState(false);
  const replay = useQuery({ ...createReplayQuery(traceId), enabled: isReplayed });
  return (
    <Page
      title="Session"
      lead={session.data ? <Lead session={session.data} /> : undefined}
      isWide
      actions={session.data && <Actions session={session.data} />}
    >
      <QueryView query={session}>
        {(found) => (
          <Stack gap="md">
            <Head session={found} />
            <Group gap="md">
              <Switch
                label="Today's policies"
                checked={isReplayed}
                onChange={({ currentTarget }) => setReplayed(currentTarget.checked)}
              />
              {isReplayed && <ReplayNote replayed={replay.data} error={replay.error} />}
            </Group>
            <Steps
              traceId={traceId}
              readAt={session.dataUpdatedAt}
              replayed={isReplayed ? replay.data : undefined}
            />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

const describeSession = ({ sessionId }: SessionDetail): string =>
  sessionId === null ? 'without a name' : markInvisible(sessionId);

const Lead = ({ session }: { session: SessionDetail }): ReactNode =>
  `${describeSession(session)}, of ${markInvisible(session.agentName ?? session.agentId ?? 'an erased agent')}`;

function Actions({ session }: { session: SessionDetail }): ReactNode {
  const { traceId, agentName, agentId, mayBeHalted, halt, agentId: agent } = session;
  const name = `session ${describeSession(session)} of ${agentName ?? agentId ?? 'an agent'}`;
  return (
    <>
      <CopyButton value={location.href}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="copy" size={14} />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
      {agent !== null && (
        <ButtonLink to="/live" search={{ agent }} variant="default" size="xs">
          Live decisions of its agent
        </ButtonLink>
      )}
      {mayBeHalted && halt === null && (
        <StopButton label="Stop the session" target={{ scope: 'session', target: traceId, name }} />
      )}
    </>
  );
}

function Head({ session }: { session: SessionDetail }): ReactNode {
  const { decisions, hasMore, held, blocked, beganAt, lastSeenAt, state, halt, parent } = session;
  return (
    <Paper p="md">
      <Stack gap="sm">
        {halt && (
          <Text size="sm" fw={600} c="var(--assay-blocked)">
            {halt.state === 'watched' ? 'Watched' : 'Halted'}
            {halt.reason !== null && `: ${markInvisible(halt.reason)}`}{' '}
            <TextLink to="/halts/$haltId" params={{ haltId: halt.id }} size="sm">
              See the halt
            </TextLink>
          </Text>
        )}
        <Group gap="lg">
          <Text size="sm" fw={600} className="numbers">
            {formatCount(decisions, 'decision')}
            {hasMore && ' and more'}
          </Text>
          {held > 0 && <Sign tone="warning">{`${held.toLocaleString('en')} held`}</Sign>}
          {blocked > 0 && <Sign tone="bad">{`${blocked.toLocaleString('en')} blocked`}</Sign>}
          <Moment word="Began" at={beganAt} />
          <Moment word="Last seen" at={lastSeenAt} />
          {state && <Labels labels={state.labels} />}
        </Group>
        <Facts
          items={[
            [
              'Did',
              state && state.counts.length > 0
                ? state.counts.map(({ effect, times }) => `${effect} ${times}×`).join(', ')
                : null,
            ],
            [
              'Follows from',
              parent?.isOther ? (
                <TextLink to="/sessions/$traceId" params={{ traceId: parent.traceId }} size="sm">
                  Another session
                </TextLink>
              ) : null,
            ],
          ]}
        />
      </Stack>
    </Paper>
  );
}

const Moment = ({ word, at }: { word: string; at: string }): ReactNode => (
  <Group gap={4}>
    <Text size="sm" c="dimmed">
      {word}
    </Text>
    <Ago at={at} />
  </Group>
);

/** What the results of the session may hold, each with the decision that gave it. */
function Labels({ labels }: { labels: readonly { label: string; traceId: string }[] }): ReactNode {
  if (labels.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing that it read has a label.
      </Text>
    );
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        It may hold
      </Text>
      {labels.map(({ label, traceId }) => (
        <TextLink
          key={label}
          to="/decisions/$traceId"
          params={{ traceId }}
          title="The decision that gave it"
        >
          <Badge color="gray">{markInvisible(label)}</Badge>
        </TextLink>
      ))}
    </Group>
  );
}

function ReplayNote({
  replayed,
  error,
}: {
  replayed: ReadonlyMap<string, Replayed> | undefined;
  error: unknown;
}): ReactNode {
  if (error) return <Problem error={error} />;
  if (!replayed)
    return (
      <Text size="sm" c="dimmed" role="status">
        Judging its newest decisions again
      </Text>
    );
  const all = [...replayed.values()];
  const unknown = all.filter(({ to }) => to === null).length;
  const different = all.filter(({ from, to }) => to !== null && to !== from).length;
  return (
    <Text size="sm" role="status">
      {`${different.toLocaleString('en')} of ${formatCount(all.length, 'decision')} would differ`}
      {unknown > 0 && `; of ${unknown.toLocaleString('en')} it is unknown`}
    </Text>
  );
}

interface StepsProps {
  traceId: string;
  /** When the session was last read: what is new came since. */
  readAt: number;
  replayed: ReadonlyMap<string, Replayed> | undefined;
}

function Steps({ traceId, readAt, replayed }: StepsProps): ReactNode {
  const list = useInfiniteQuery(createStepsQuery(traceId));
  const { data: steps, hasNextPage, isFetching, fetchNextPage, fetchPreviousPage } = list;
  const rows = useMemo(() => buildRows(steps ?? []), [steps]);
  const known = useMemo(() => new Set(steps?.map((step) => step.traceId)), [steps]);
  useStreamRefresh({
    queryKey: ['sessions', 'one', traceId],
    cost: 2,
    isForDecision: ({ agentId, parentTraceId }) =>
      steps?.some((step) => step.agentId === agentId) === true ||
      (typeof parentTraceId === 'string' && known.has(parentTraceId)),
    isForReview: (change) => known.has(change.traceId),
  });
  const isLoaded = steps !== undefined;
  useEffect(() => {
    if (isLoaded) void fetchPreviousPage();
  }, [readAt, isLoaded, fetchPreviousPage]);
  const isMore = hasNextPage && (steps?.length ?? 0) < LOADED_MAX;
  useEffect(() => {
    if (isMore && !isFetching) void fetchNextPage();
  }, [isMore, isFetching, fetchNextPage]);
  return (
    <QueryView query={{ ...list, data: steps && rows }}>
      {() => (
        <Grid gap="md">
          <ChosenStep rows={rows} traceId={traceId} replayed={replayed} />
          {hasNextPage && !isMore && (
            <Grid.Col span={12}>
              <Button variant="default" size="xs" onClick={() => void fetchNextPage()}>
                Show earlier steps
              </Button>
            </Grid.Col>
          )}
        </Grid>
      )}
    </QueryView>
  );
}

interface ChosenProps {
  rows: ReturnType<typeof buildRows>;
  traceId: string;
  replayed: StepsProps['replayed'];
}

/** The chosen step is named by its place in the chain, which stays as others come. */
function ChosenStep({ rows, traceId, replayed }: ChosenProps): ReactNode {
  const navigate = useNavigate();
  const { step } = route.useSearch();
  const [chosen, setChosen] = useState(step);
  const toName = useNames();
  const index = useMemo(() => {
    const found = rows.findIndex((row) =>
      chosen === undefined ? row.step.traceId === traceId : row.step.sequence === chosen,
    );
    return found >= 0 ? found : rows.length - 1;
  }, [rows, chosen, traceId]);
  const row = rows[index];
  function choose(next: number): void {
    const found = rows[Math.min(rows.length - 1, Math.max(0, next))];
    if (!found) return;
    setChosen(found.step.sequence);
    history.replaceState(history.state, '', `?step=${found.step.sequence}`);
  }
  function open(): void {
    const id = row?.step.traceId;
    if (id != null) void navigate({ to: '/decisions/$traceId', params: { traceId: id } });
  }
  useSingleKeys({
    j: () => choose(index + 1),
    k: () => choose(index - 1),
    o: open,
  });
  return (
    <>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <StepList
          rows={rows}
          chosen={index}
          onChoose={choose}
          onOpen={open}
          toName={toName}
          replayed={replayed}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        {row && (
          <StepPanel
            row={row}
            name={toName(row.step)}
            now={row.step.traceId === null ? undefined : replayed?.get(row.step.traceId)}
          />
        )}
      </Grid.Col>
    </>
  );
}

const KINDS = { workspaceKey: 'A key', agentKey: 'Its agent', system: 'The service' } as const;

/** Names who made a later entry. */
function useNames(): (step: Step) => string | null {
  const { data: members = [] } = useQuery(membersQuery);
  return useMemo(() => {
    const names = new Map(members.map(({ userId, name }) => [userId, name]));
    return ({ by }: Step) => {
      if (by === null) return null;
      if (by.kind !== 'user') return KINDS[by.kind];
      return names.get(by.id ?? '') ?? 'A former member';
    };
  }, [members]);
}
