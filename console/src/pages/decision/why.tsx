// Why the verdict: the policies that judged, each condition, and the value that it saw on that day.
import { Accordion, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ConditionFindings } from '../../parts/record/condition-findings.tsx';
import type { Decision } from '../../parts/decision-stream.ts';
import { TextLink } from '../../parts/links.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { showTimes } from '../../parts/time.tsx';
import { describeVerdict } from '../../parts/verdict.tsx';
import { PassedLimits } from './passed-limits.tsx';
import { createExplanationQuery } from './decision-query.ts';

type Explanation = components['schemas']['DecisionExplanation'];
type Judged = Explanation['policies'][number];

/** Stands for a policy where a halt decided. */
const HALT = 'halt';

export function Why({ decision }: { decision: Decision }): ReactNode {
  const { matchedPolicy, status, traceId, tags, limits = [], halts } = decision;
  const isHalted = matchedPolicy?.name === HALT && tags.includes('HALTED');
  const explanation = useQuery(createExplanationQuery(traceId));
  const isErased = explanation.error instanceof ApiError && explanation.error.status === 404;
  const names = new Map(explanation.data?.policies.map(({ id, name }) => [id, name]));
  return (
    <Paper p="md" component="section" aria-label="Why">
      <Title order={2} mb="xs">
        Why
      </Title>
      {matchedPolicy ? (
        <Text size="sm" mb="xs" className="stored-text">
          {isHalted ? 'A halt' : markInvisible(matchedPolicy.name)} decided:{' '}
          {markInvisible(showTimes(matchedPolicy.reason))}{' '}
          {isHalted && <TextLink to="/halts">See what is halted</TextLink>}
        </Text>
      ) : (
        <Text size="sm" c="dimmed" mb="sm">
          {describeVerdict(status)}: no policy stopped it.
        </Text>
      )}
      <PassedLimits limits={limits} names={names} />
      {halts && (
        <Text size="sm" mb="xs" className="stored-text">
          {markInvisible(halts.name)} halted the {halts.scope} as well.{' '}
          <TextLink to="/halts">See what is halted</TextLink>
        </Text>
      )}
      {isErased ? (
        <Text size="sm" c="dimmed">
          Its judgement is erased, and cannot be shown any more.
        </Text>
      ) : (
        <QueryView query={explanation}>{(found) => <Judgement explanation={found} />}</QueryView>
      )}
    </Paper>
  );
}

const OUTCOMES = {
  acted: 'matched',
  observed: 'matched, and only observes',
  within_limit: 'matched, within its limit',
} as const;

function Judgement({ explanation: { policies, total } }: { explanation: Explanation }): ReactNode {
  const open = policies.filter(({ matched }) => matched).map(({ id }) => id);
  return (
    <>
      <Accordion multiple defaultValue={open} variant="default" chevronPosition="left" order={3}>
        {policies.map((policy) => (
          <Accordion.Item key={policy.id} value={policy.id}>
            <Accordion.Control>
              <Text span size="sm" fw={policy.outcome === 'acted' ? 600 : 400}>
                {markInvisible(policy.name)}{' '}
              </Text>
              <Text span size="sm" c="dimmed">
                {policy.outcome === null ? 'did not match' : OUTCOMES[policy.outcome]}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <TextLink to="/policies/$policyId" params={{ policyId: policy.id }} size="sm">
                Open the policy
              </TextLink>
              <PolicyFindings policy={policy} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {total > policies.length && (
        <Text size="sm" c="dimmed" mt="xs">
          {total - policies.length} more policies judged it, and did not match.
        </Text>
      )}
    </>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  erased: 'erased since',
  unstored: 'never stored',
  scrubbed: 'scrubbed before it was stored',
  engine: 'judged by another engine',
};

function PolicyFindings({ policy: { explanation, error } }: { policy: Judged }): ReactNode {
  const findings = explanation.map(({ unknownBecause, ...finding }) => ({
    ...finding,
    error: unknownBecause === null ? finding.error : (REASONS[unknownBecause] ?? unknownBecause),
  }));
  return (
    <Stack gap="xs">
      {error !== null && (
        <Text size="sm" c="var(--assay-blocked)">
          {error}
        </Text>
      )}
      <ConditionFindings findings={findings} />
    </Stack>
  );
}
