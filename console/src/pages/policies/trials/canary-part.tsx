// The canary: a change judges a share of the decisions, and people's verdicts say which arm is better.
import { Badge, Button, Group, NumberInput, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { waitLonger } from '../../../api/wait-longer.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import type { Draft } from '../editor/use-draft.ts';
import type { Policy } from '../policy-queries.ts';
import { formatPercent } from '../policy-words.ts';
import { ArmsChart } from './arms-chart.tsx';

type Status = components['schemas']['CanaryStatus'];
const LIVE_MS = 3000;

interface Props {
  policy: Policy;
  draft: Draft;
}

export function CanaryPart({ policy, draft }: Props): ReactNode {
  const { mayManage } = useRights();
  const status = useQuery({
    queryKey: ['policies', policy.id, 'canary'],
    queryFn: () =>
      readData(
        api.GET('/api/v1/policies/{id}/canary-status', { params: { path: { id: policy.id } } }),
      ),
    refetchInterval: (query) => (policy.canary ? waitLonger(LIVE_MS, query) : false),
  });
  return (
    <QueryView query={status}>
      {(found) => (
        <Stack gap="md">
          {found.state === 'none' ? (
            <Text size="sm" c="dimmed">
              No canary has run yet.
            </Text>
          ) : (
            <Arms status={found} />
          )}
          {mayManage && <CanaryControl policy={policy} draft={draft} />}
        </Stack>
      )}
    </QueryView>
  );
}

const VERDICTS: Readonly<Record<Status['decision'], { text: string; colour: string }>> = {
  continue: { text: 'Not clear yet: let it run', colour: 'held' },
  promote: { text: 'It is overturned less often: promote it', colour: 'approved' },
  rollback: { text: 'It is overturned more often: roll it back', colour: 'blocked' },
};

function Arms({ status }: { status: Status }): ReactNode {
  const { arms, decision, pValue, alpha, startedAt, state, share } = status;
  const { text, colour } = VERDICTS[decision];
  return (
    <Paper p="md" component="section" aria-label="Canary">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Overturned by people</Title>
        <Group gap="xs">
          {share !== null && <Badge color="gray">{formatPercent(share)} of the decisions</Badge>}
          {startedAt && <Ago at={startedAt} />}
        </Group>
      </Group>
      <Stack gap="sm">
        <ArmsChart arms={arms} />
        <Text fw={650} c={`var(--assay-${colour})`} role="status">
          {state === 'running' ? text : `It has ended: ${state.replaceAll('_', ' ')}`}
        </Text>
        <Text size="sm" c="dimmed" className="numbers">
          p = {pValue.toLocaleString('en', { maximumSignificantDigits: 2 })}; below {alpha} it is
          decided. You may look as often as you like: the figure stays valid.
        </Text>
      </Stack>
    </Paper>
  );
}

function CanaryControl({ policy, draft: { contents, isChanged } }: Props): ReactNode {
  const queries = useQueryClient();
  const [share, setShare] = useState<number | string>(10);
  const change = useMutation({
    mutationFn: (body: components['schemas']['PolicyChange']) =>
      readData(api.PATCH('/api/v1/policies/{id}', { params: { path: { id: policy.id } }, body })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['policies'] }),
  });
  const start = (): void =>
    change.mutate({
      ...(isChanged && contents),
      canary: { share: Number(share) / 100 },
    });
  return (
    <Paper p="md" component="section" aria-label="Control of the canary">
      {policy.canary ? (
        <Group gap="xs">
          <Button
            loading={change.isPending}
            onClick={() => change.mutate({ canary: { end: 'promote' } })}
          >
            Let it judge all
          </Button>
          <Button
            variant="default"
            disabled={change.isPending}
            onClick={() => change.mutate({ canary: { end: 'rollback' } })}
          >
            Roll it back
          </Button>
        </Group>
      ) : (
        <Group gap="xs" align="flex-end">
          <NumberInput
            label="Share of the decisions"
            suffix=" %"
            min={1}
            max={50}
            value={share}
            onChange={setShare}
            w={160}
          />
          <Button
            loading={change.isPending}
            disabled={isChanged && contents === null}
            onClick={start}
          >
            {isChanged ? 'Try the change on them' : 'Try the policy on them alone'}
          </Button>
        </Group>
      )}
      {change.error && <Problem error={change.error} />}
    </Paper>
  );
}
