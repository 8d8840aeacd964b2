// Tries the rule on a real decision, condition by condition, and keeps decisions as tests of the policy.
import { Button, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../../api/client.ts';
import { ConditionFindings } from '../../../parts/record/condition-findings.tsx';
import type { Decision } from '../../../parts/decision-stream.ts';
import { describeAction, readAction } from '../../../parts/decision-text.ts';
import { Empty, Problem, QueryView } from '../../../parts/states.tsx';
import { DataTable } from '../../../parts/lists/data-table.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { describeVerdict, Verdict } from '../../../parts/verdict.tsx';
import { useRights } from '../../../session/session.ts';
import type { Draft } from '../editor/use-draft.ts';
import type { Policy, PolicyContents } from '../policy-queries.ts';

const recentQuery = {
  queryKey: ['decisions', 'recent'],
  queryFn: () => readData(api.GET('/api/v1/traces', { params: { query: { limit: 30 } } })),
} as const;

const FIXTURE_MEMBERS = [
  'agentName',
  'inputContext',
  'outputDecision',
  'rationale',
  'alternatives',
  'triggeringCondition',
  'metadata',
  'confidenceScore',
  'tags',
] as const;

/** What of a decision a trial reads; what is not kept is absent. */
const toFixture = (decision: Decision): Record<string, unknown> =>
  Object.fromEntries(
    FIXTURE_MEMBERS.map((name) => [name, decision[name]] as const).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

export function TryPart({ draft }: { draft: Draft }): ReactNode {
  const recent = useQuery(recentQuery);
  return (
    <QueryView query={recent}>
      {(decisions) =>
        decisions.length === 0 ? (
          <Empty icon="live" title="No decisions to try it on">
            Once agents post decisions, the rule is tried on them here.
          </Empty>
        ) : (
          <Stack gap="md">
            <Trial draft={draft} decisions={decisions} />
            {draft.policy && <Tests policy={draft.policy} contents={draft.contents} />}
          </Stack>
        )
      }
    </QueryView>
  );
}

interface TrialProps {
  draft: Draft;
  decisions: readonly Decision[];
}

function Trial({ draft: { contents, policy }, decisions }: TrialProps): ReactNode {
  const [chosen, setChosen] = useState(decisions[0]?.traceId ?? null);
  const decision = decisions.find(({ traceId }) => traceId === chosen);
  const run = useQuery({
    queryKey: ['policies', 'dry-run', chosen, contents],
    enabled: decision !== undefined && contents !== null,
    queryFn: () =>
      readData(
        api.POST('/api/v1/policies/_new/dry-run', {
          body: {
            policy: contents as PolicyContents,
            fixture: toFixture(decision as Decision),
          },
        }),
      ),
  });
  return (
    <Paper p="md" component="section" aria-label="Trial">
      <Stack gap="sm">
        <Select
          label="Decision"
          data={decisions.map((one) => ({
            value: one.traceId,
            label: `${describeVerdict(one.status)}: ${markInvisible(describeAction(readAction(one))).slice(0, 120)}`,
          }))}
          value={chosen}
          onChange={setChosen}
          allowDeselect={false}
          searchable
        />
        {contents === null ? (
          <Text size="sm" c="dimmed">
            The rule has errors; mend them first.
          </Text>
        ) : (
          <QueryView query={run}>
            {({ matched, verdict, reason, halts, error, explanation }) => (
              <Stack gap="sm">
                <Group gap="sm" role="status">
                  <Text size="sm" fw={600}>
                    {matched ? 'It matches:' : 'It does not match:'}
                  </Text>
                  <Verdict status={verdict} isFilled />
                  {reason !== null && <Text size="sm">{markInvisible(reason)}</Text>}
                  {halts !== null && <Text size="sm">It would halt the {halts} as well.</Text>}
                </Group>
                {error !== null && (
                  <Text size="sm" c="var(--assay-blocked)">
                    {error}
                  </Text>
                )}
                <ConditionFindings findings={explanation} />
                {policy && decision && (
                  <KeepTest policy={policy} decision={decision} contents={contents} />
                )}
              </Stack>
            )}
          </QueryView>
        )}
      </Stack>
    </Paper>
  );
}

interface KeepProps {
  policy: Policy;
  decision: Decision;
  contents: PolicyContents;
}

/** Keeps the decision with what the rule makes of it now as a test. */
function KeepTest({ policy, decision }: KeepProps): ReactNode {
  const { mayManage } = useRights();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const keep = useMutation({
    async mutationFn() {
      const fixture = toFixture(decision);
      const params = { path: { id: policy.id } };
      const { action } = await readData(
        api.POST('/api/v1/policies/{id}/dry-run', { params, body: { fixture } }),
      );
      const body = { name, fixture, expected: action };
      return readData(api.POST('/api/v1/policies/{id}/tests', { params, body }));
    },
    async onSuccess() {
      setName('');
      await queries.invalidateQueries({ queryKey: ['policies', policy.id, 'tests'] });
    },
  });
  if (!mayManage) return null;
  return (
    <>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Keep it as a test"
          placeholder="What it shows"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          flex="0 1 280px"
        />
        <Button
          variant="default"
          disabled={name.trim() === ''}
          loading={keep.isPending}
          onClick={() => keep.mutate()}
        >
          Keep
        </Button>
      </Group>
      {keep.error && <Problem error={keep.error} />}
    </>
  );
}

function TestResult({
  result,
}: {
  result: { passed: boolean; actual: string } | undefined;
}): ReactNode {
  if (!result) return '—';
  if (result.passed) return 'as expected';
  return (
    <Text span size="sm" c="var(--assay-blocked)">
      not: {result.actual}
    </Text>
  );
}

interface TestsProps {
  policy: Policy;
  contents: PolicyContents | null;
}

function Tests({ policy, contents }: TestsProps): ReactNode {
  const params = { path: { id: policy.id } };
  const tests = useQuery({
    queryKey: ['policies', policy.id, 'tests'],
    queryFn: () => readData(api.GET('/api/v1/policies/{id}/tests', { params })),
  });
  const run = useMutation({
    mutationFn: () =>
      readData(
        api.POST('/api/v1/policies/{id}/run-tests', {
          params,
          body: contents ? { policy: contents } : {},
        }),
      ),
  });
  const results = new Map(run.data?.results.map((result) => [result.testId, result]));
  return (
    <Stack gap="xs" component="section" aria-label="Tests">
      <Group justify="space-between">
        <Title order={2}>Tests</Title>
        <Button
          variant="default"
          size="xs"
          loading={run.isPending}
          disabled={(tests.data?.length ?? 0) === 0 || contents === null}
          onClick={() => run.mutate()}
        >
          Run them on this rule
        </Button>
      </Group>
      {run.data && (
        <Text size="sm" fw={600} role="status">
          {run.data.passed} as expected, {run.data.failed} not
        </Text>
      )}
      {run.error && <Problem error={run.error} />}
      <QueryView query={tests}>
        {(found) =>
          found.length === 0 ? (
            <Text size="sm" c="dimmed">
              A decision that is kept above shows later whether a change of the rule still judges it
              so.
            </Text>
          ) : (
            <DataTable
              label="Tests"
              rows={found}
              toKey={({ id }) => id}
              columns={[
                { title: 'Test', cell: ({ name }) => markInvisible(name) },
                { title: 'Expected', cell: ({ expected }) => expected },
                { title: 'Result', cell: ({ id }) => <TestResult result={results.get(id)} /> },
              ]}
            />
          )
        }
      </QueryView>
    </Stack>
  );
}
