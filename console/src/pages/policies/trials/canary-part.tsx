// The canary: a change judges a share of the decisions, and people's verdicts say which arm is better.
import { Badge, Group, NumberInput, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { waitLonger } from '../../../api/wait-longer.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { QueryView } from '../../../parts/states.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import type { Draft } from '../editor/use-draft.ts';
import type { Policy } from '../policy-queries.ts';
import { formatPercent, readState } from '../policy-words.ts';
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
          {mayManage && <CanaryControl policy={policy} draft={draft} status={found} />}
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

type Change = components['schemas']['PolicyChange'];
type Edit = ReturnType<typeof useEdit>;

function useEdit(policy: Policy) {
  return useChange({
    change: (body: Change) =>
      readData(api.PATCH('/api/v1/policies/{id}', { params: { path: { id: policy.id } }, body })),
    refresh: ['policies'],
  });
}

function CanaryControl({ policy, draft, status }: Props & { status: Status }): ReactNode {
  const edit = useEdit(policy);
  return (
    <Paper p="md" component="section" aria-label="Control of the canary">
      {policy.canary ? (
        <Ending share={policy.canary.share} isEnabled={policy.enabled} edit={edit} />
      ) : (
        <Beginning policy={policy} draft={draft} status={status} edit={edit} />
      )}
    </Paper>
  );
}

interface EndingProps {
  share: number;
  /** Whether the policy judges the share; else it is tried to be without it. */
  isEnabled: boolean;
  edit: Edit;
}

function Ending({ share, isEnabled, edit }: EndingProps): ReactNode {
  return (
    <Group gap="xs">
      <ConfirmButton
        label="Promote it"
        title="Promote the canary?"
        mutation={edit}
        onConfirm={() => edit.mutateAsync({ canary: { end: 'promote' } })}
        isDangerous={!isEnabled}
      >
        {isEnabled
          ? `The change judges all decisions from then on, not only ${formatPercent(share)}.`
          : 'The policy is off for all decisions from then on.'}{' '}
        Owners and admins are notified.
      </ConfirmButton>
      <ConfirmButton
        label="Roll it back"
        title="Roll the canary back?"
        mutation={edit}
        onConfirm={() => edit.mutateAsync({ canary: { end: 'rollback' } })}
      >
        The policy is again what it was before the canary, and judges all decisions like that.
        Owners and admins are notified.
      </ConfirmButton>
    </Group>
  );
}

const formatCount = (count: number): string => count.toLocaleString('en');

function Beginning({
  policy,
  draft: { contents, isChanged },
  status,
  edit,
}: Props & { status: Status; edit: Edit }): ReactNode {
  const [share, setShare] = useState<number | string>(10);
  const part = Number(share) / 100;
  const matched = status.matchedLastDay ?? 0;
  const isLifted = isChanged && policy.enabled && contents?.enabled === false;
  const isJudging = readState(policy) === 'on';
  if (isJudging && !isChanged) return <NothingToTry matched={matched} />;
  const known = `It matched ${formatCount(matched)} decisions in the last 24 hours.`;
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" maw={640}>
        {describeTrial(policy, isLifted)} {isJudging && known}
      </Text>
      <Group gap="xs" align="flex-end">
        <NumberInput
          label="Share of the decisions"
          suffix=" %"
          min={1}
          max={50}
          allowDecimal={false}
          clampBehavior="strict"
          value={share}
          onChange={setShare}
          w={160}
        />
        <ConfirmButton
          label="Begin the canary"
          title="Begin the canary?"
          mutation={edit}
          onConfirm={() =>
            edit.mutateAsync({
              ...(isChanged && contents),
              ...(!isJudging && { enabled: true, observe: false }),
              canary: { share: part },
            })
          }
          isDangerous={isLifted}
          buttonProps={{
            size: 'sm',
            disabled: (isChanged && contents === null) || !(part > 0 && part <= 0.5),
          }}
        >
          {formatPercent(part)} of the decisions are judged{' '}
          {isLifted ? 'without the policy' : 'by the change'}, the others as now.
          {isJudging &&
            ` The policy matched ${formatCount(matched)} decisions in the last 24 hours: about ` +
              `${formatCount(Math.round(part * matched))} like them would ` +
              (isLifted ? 'pass it unseen.' : 'be judged by the change.')}{' '}
          Owners and admins are notified. Roll it back, and all is as now.
        </ConfirmButton>
      </Group>
    </Stack>
  );
}

const describeTrial = (policy: Policy, isLifted: boolean): string => {
  if (isLifted)
    return 'The draft switches the policy off: a share of the decisions is judged without it.';
  const share = 'It judges a share of the decisions, and the others are judged as now.';
  return {
    on: 'The changed rule judges a share of the decisions, the saved one the others.',
    observe: `The policy observes. ${share}`,
    off: `The policy is off. ${share}`,
  }[readState(policy)];
};

/** Against its absence, an enabled policy would be lifted for most decisions. */
function NothingToTry({ matched }: { matched: number }): ReactNode {
  return (
    <Text size="sm" maw={640}>
      The policy judges every decision already, and there is nothing to compare it with. Change the
      rule, and try the change here on a share of the decisions. It matched {formatCount(matched)}{' '}
      decisions in the last 24 hours
      {matched > 0 && ': tried on a tenth without a change, 9 of 10 like them would pass'}.
    </Text>
  );
}
