// The first steps: a checklist that watches, with a command to copy for each way of sending decisions.
import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { Snippet } from '../../parts/text.tsx';
import { useStreamRefresh } from '../../api/stream-refresh.ts';
import { WayTabs } from '../../parts/way-tabs.tsx';
import { useRights } from '../../session/session.ts';
import { arrivedWaysQuery, findWay, progressQuery, type Progress } from './progress.ts';
import { writeRefund } from './refund.ts';

const DECIDED: readonly string[] = ['approved', 'rejected'];

export function StartPage(): ReactNode {
  const { isReader } = useRights();
  const progress = useQuery(progressQuery);
  const { hasDecision, hasVerdict } = progress.data ?? {};
  useStreamRefresh({
    queryKey: progressQuery.queryKey,
    cost: 3,
    isEnabled: isReader,
    isForDecision: () => hasDecision === false,
    isForReview: ({ change }) => hasVerdict === false && DECIDED.includes(change),
  });
  return (
    <Page
      title="Get started"
      lead="Five steps to a first decision that is judged, sealed and checked. Each is ticked off when it happens."
    >
      <QueryView query={progress}>{(found) => <Steps progress={found} />}</QueryView>
    </Page>
  );
}

function Steps({ progress }: { progress: Progress }): ReactNode {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Stack component="ol" gap="sm" p={0} m={0}>
      <Step isDone={progress.hasKey} title="Make a key">
        <Text size="sm">Agents present it with every decision. It is shown once.</Text>
        <KeyMaker apiKey={key} onMade={setKey} hasKey={progress.hasKey} />
      </Step>
      <Step isDone={progress.hasDecision} title="Send a first decision">
        <Text size="sm">It is scored, judged and sealed before the agent acts.</Text>
        <SendingWays apiKey={key} />
      </Step>
      <Step isDone={progress.hasPolicy} title="Add a first policy">
        <Text size="sm">
          A policy lets through, holds for a person, or blocks.
          {!progress.hasPolicy && ' This one holds what moves money.'}
        </Text>
        {!progress.hasPolicy && <PolicyMaker />}
      </Step>
      <Step isDone={progress.hasVerdict} title="Decide a held decision">
        <Text size="sm">
          Send a refund after the policy is there: it waits in the{' '}
          <TextLink to="/review/{-$traceId}" inherit underline="always">
            review queue
          </TextLink>
          .
        </Text>
        <Snippet code={writeRefund(key)} label="command that is held" />
      </Step>
      <Step isDone={progress.hasVerification} title="Verify the chain">
        <Text size="sm">Every decision and verdict is an entry; a changed one is found.</Text>
        <Verification />
      </Step>
    </Stack>
  );
}

interface StepProps {
  isDone: boolean;
  title: string;
  children: ReactNode;
}

function Step({ isDone, title, children }: StepProps): ReactNode {
  return (
    <Paper component="li" p="md" className="step">
      <Group align="flex-start" wrap="nowrap" gap="md">
        <ThemeIcon
          radius="xl"
          size="md"
          variant={isDone ? 'filled' : 'default'}
          color={isDone ? 'accent' : undefined}
        >
          {isDone && <Icon name="check" size={14} />}
        </ThemeIcon>
        <Stack gap="xs" flex={1} miw={0}>
          <Group gap="sm">
            <Title order={2}>{title}</Title>
            <Text size="sm" c={isDone ? 'var(--assay-approved)' : 'dimmed'} role="status">
              {isDone ? 'Done' : 'To do'}
            </Text>
          </Group>
          {children}
        </Stack>
      </Group>
    </Paper>
  );
}

interface KeyMakerProps {
  apiKey: string | null;
  hasKey: boolean;
  onMade: (key: string) => void;
}

function KeyMaker({ apiKey, hasKey, onMade }: KeyMakerProps): ReactNode {
  const queries = useQueryClient();
  const { mayManage } = useRights();
  const make = useMutation({
    mutationFn: () => readData(api.POST('/api/v1/auth/keys', { body: { name: 'First key' } })),
    async onSuccess({ key }) {
      onMade(key);
      await queries.invalidateQueries({ queryKey: ['progress'] });
    },
  });
  if (apiKey !== null) return <Snippet code={apiKey} label="key" />;
  if (!mayManage) return <Text size="sm">An owner or admin makes keys.</Text>;
  return (
    <>
      <Button
        variant={hasKey ? 'default' : 'filled'}
        w="fit-content"
        loading={make.isPending}
        onClick={() => make.mutate()}
      >
        {hasKey ? 'Make another key' : 'Make a key'}
      </Button>
      {make.error && <Problem error={make.error} />}
    </>
  );
}

/** Ways by which a decision has arrived are marked. */
function SendingWays({ apiKey }: { apiKey: string | null }): ReactNode {
  const { isReader } = useRights();
  const { data: arrived = [] } = useQuery(arrivedWaysQuery);
  useStreamRefresh({
    queryKey: arrivedWaysQuery.queryKey,
    cost: 1,
    isEnabled: isReader,
    isForDecision(decision) {
      const way = findWay(decision);
      return way !== undefined && !arrived.includes(way);
    },
  });
  const marks = Object.fromEntries(
    arrived.map((way) => [
      way,
      <Text key={way} span c="var(--assay-approved)" aria-label="A decision came by it">
        <Icon name="check" size={14} />
      </Text>,
    ]),
  );
  return (
    <WayTabs target={{ key: apiKey, agent: 'shop-support', tool: 'get_order' }} marks={marks} />
  );
}

function PolicyMaker(): ReactNode {
  const queries = useQueryClient();
  const { mayManage } = useRights();
  const make = useMutation({
    mutationFn: () =>
      readData(api.POST('/api/v1/policies/from-template', { body: { templateId: 'money-out' } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['progress'] }),
  });
  if (!mayManage) return <Text size="sm">An owner or admin adds policies.</Text>;
  return (
    <>
      <Button
        variant="default"
        w="fit-content"
        loading={make.isPending}
        onClick={() => make.mutate()}
      >
        Add “Money out”
      </Button>
      {make.error && <Problem error={make.error} />}
    </>
  );
}

function Verification(): ReactNode {
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () => readData(api.POST('/api/v1/hash-chain/verify')),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['progress'] }),
  });
  return (
    <>
      <Group gap="sm">
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
        {verify.data && (
          <Text
            size="sm"
            fw={600}
            role="status"
            c={verify.data.ok ? 'var(--assay-approved)' : 'var(--assay-blocked)'}
          >
            {verify.data.ok
              ? `${verify.data.totalChecked} entries checked: the chain is intact`
              : `Broken at entry ${verify.data.brokenAtSequence}`}
          </Text>
        )}
      </Group>
      {verify.error && <Problem error={verify.error} />}
    </>
  );
}
