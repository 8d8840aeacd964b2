// The chosen step: its action, why it was decided so, and what its agent was given.
import { Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createDecisionQuery } from '../../api/shared-queries.ts';
import { ActionView } from '../../parts/action-view.tsx';
import { readAction, readPrompt, readTrigger } from '../../parts/decision-text.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { Surroundings, TitledValue } from '../../parts/record/surroundings.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago, showTimes } from '../../parts/time.tsx';
import { describeVerdict, Verdict } from '../../parts/verdict.tsx';
import type { Replayed } from './session-queries.ts';
import { StepSign } from './step-list.tsx';
import type { StepRow } from './step-rows.ts';

interface Props {
  row: StepRow;
  /** Who made it; null: the policies, or what is said elsewhere. */
  name: string | null;
  now: Replayed | undefined;
}

const UNKNOWN = {
  erased: 'something was erased',
  unstored: 'something was never stored',
  scrubbed: 'something was masked',
  engine: 'another engine judged it',
  error: 'a condition is in error',
} as const;

export function StepPanel({ row, name, now }: Props): ReactNode {
  const { step } = row;
  const { kind, reason, policy, summary } = step;
  const isDecision = kind === 'decision' || kind === 'child';
  return (
    <Paper p="md" component="section" aria-label="The chosen step">
      <Stack gap="md">
        <Group gap="md">
          <StepSign step={step} />
          {isDecision && step.status !== null && step.status !== step.verdict && (
            <>
              <Text size="sm" c="dimmed">
                now
              </Text>
              <Verdict status={step.status} />
            </>
          )}
          {name !== null && <Text size="sm">{markInvisible(name)}</Text>}
          <Ago at={step.at} />
        </Group>
        <Facts
          items={[
            ['Policy', policy === null ? null : markInvisible(policy)],
            ['Reason', reason === null ? null : markInvisible(showTimes(reason))],
            ['Result', isDecision || summary === null ? null : markInvisible(summary)],
            ['Today', now ? describeNow(now) : null],
          ]}
        />
        {step.traceId !== null && (
          <OfDecision key={step.traceId} row={row} traceId={step.traceId} />
        )}
      </Stack>
    </Paper>
  );
}

function describeNow({ to, policy, because }: Replayed): string {
  if (to === null)
    return because === null
      ? 'It would not be blocked; whether it would be held is unknown'
      : `Unknown: ${UNKNOWN[because]}`;
  const by = policy === null ? '' : ` by ${markInvisible(policy.name)}`;
  return `${describeVerdict(to)}${by}`;
}

function OfDecision({ row, traceId }: { row: StepRow; traceId: string }): ReactNode {
  const isErased = row.decision?.isErased === true;
  const { data: decision, isPending } = useQuery({
    ...createDecisionQuery(traceId),
    enabled: !isErased,
  });
  if (isErased)
    return (
      <Text size="sm" c="dimmed">
        What it said is destroyed. Its entries stay, and the chain stays whole.
      </Text>
    );
  if (isPending) return <Loader size="xs" />;
  if (!decision)
    return (
      <TextLink to="/decisions/$traceId" params={{ traceId }}>
        Open the decision
      </TextLink>
    );
  const prompt = readPrompt(decision);
  const trigger = readTrigger(decision.inputContext);
  return (
    <>
      <ActionView action={readAction(decision)} />
      <Group gap="xs">
        <ButtonLink to="/decisions/$traceId" params={{ traceId }} variant="default" size="xs">
          Open the decision
        </ButtonLink>
        {decision.review?.status === 'pending' && (
          <ButtonLink to="/review/{-$traceId}" params={{ traceId }} size="xs">
            Review it
          </ButtonLink>
        )}
      </Group>
      <TitledValue title="Prompt" value={prompt} />
      <TitledValue title="Begun by" value={trigger} />
      <Surroundings {...decision} isOfSession />
      <TitledValue title="Rationale" value={decision.rationale} />
    </>
  );
}
