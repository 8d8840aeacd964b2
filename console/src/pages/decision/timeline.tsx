// From intent to effect: each thing that happened to a decision is an entry of the chain, checked on this device on demand.
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { membersQuery } from '../../api/shared-queries.ts';
import type { Decision } from '../../parts/decision-stream.ts';
import { describeKind } from '../../parts/record/entry-kinds.ts';
import { formatAmount } from '../../parts/limits/limit-words.ts';
import { formatCount } from '../../parts/words.ts';
import { Icon } from '../../parts/icons.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { markInvisible, ShortHash } from '../../parts/text.tsx';
import { Ago, showTimes } from '../../parts/time.tsx';
import { describeVerdict } from '../../parts/verdict.tsx';
import { createEntriesQuery, createExecutionsQuery } from './decision-query.ts';
import { Proof } from './proof.tsx';
import { type CheckedEntry, verifyEntries } from './verify-entries.ts';

type Entry = Pick<components['schemas']['ChainEntry'], 'kind' | keyof CheckedEntry>;

export function Timeline({ decision }: { decision: Decision }): ReactNode {
  const entries = useQuery(createEntriesQuery(decision.traceId));
  return (
    <Paper p="md" component="section" aria-label="Timeline">
      <Title order={2} mb="sm">
        Timeline
      </Title>
      <QueryView query={entries}>
        {({ entry, proof, related }) => (
          <Stack gap="sm">
            <Entries entries={[entry, ...related]} decision={decision} />
            <Proof entry={entry} proof={proof} />
          </Stack>
        )}
      </QueryView>
    </Paper>
  );
}

interface EntriesProps {
  entries: Entry[];
  /** Null: it is erased, and its entries alone are left. */
  decision: Decision | null;
}

export function Entries({ entries, decision }: EntriesProps): ReactNode {
  const check = useMutation({ mutationFn: () => Promise.resolve(verifyEntries(entries)) });
  return (
    <Stack gap="sm">
      <ol className="timeline">
        {entries.map((entry) => (
          <li key={entry.sequence}>
            <Group gap="xs" justify="space-between">
              <Text fw={600} size="sm">
                {describeKind(entry.kind)}
              </Text>
              <Ago at={entry.createdAt} />
            </Group>
            {decision && <EntryText entry={entry} decision={decision} />}
            <Group gap={6}>
              <Text size="xs" c="dimmed" className="numbers">
                Entry {entry.sequence}
              </Text>
              <ShortHash value={entry.chainHash} label="chain hash" />
            </Group>
          </li>
        ))}
      </ol>
      <Group gap="sm">
        <Button
          variant="default"
          size="xs"
          loading={check.isPending}
          onClick={() => check.mutate()}
          leftSection={<Icon name="verify" />}
        >
          Verify here
        </Button>
        {check.isSuccess && <CheckResult outcome={check.data} count={entries.length} />}
      </Group>
      {check.error && <Problem error={check.error} />}
    </Stack>
  );
}

function EntryText({ entry, decision }: { entry: Entry; decision: Decision }): ReactNode {
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: entry.kind === 'review' });
  const { review, status, matchedPolicy } = decision;
  if (entry.kind === 'trace')
    return (
      <Text size="sm" c="dimmed">
        {matchedPolicy
          ? markInvisible(`${matchedPolicy.name}: ${showTimes(matchedPolicy.reason)}`)
          : describeVerdict(status)}
      </Text>
    );
  if (entry.kind === 'execution')
    return <ExecutionText traceId={decision.traceId} sequence={entry.sequence} />;
  if (entry.kind !== 'review' || !review) return null;
  const decider = members.find(({ userId }) => userId === review.decidedBy)?.name;
  return (
    <Text size="sm" c="dimmed">
      {describeVerdict(review.status)}
      {decider === undefined ? '' : ` by ${decider}`}
      {review.reason === null ? '' : `: ${markInvisible(review.reason)}`}
      {review.superseded ? '; the action was corrected since, and is not approved' : ''}
    </Text>
  );
}

type Execution = components['schemas']['Execution'];

const STATES = {
  claimed: 'Claimed',
  succeeded: 'Succeeded',
  failed: 'Failed',
  unknown: 'Not known how it ended',
} as const satisfies Record<Execution['state'], string>;

/** What an entry of an execution says: that it began, or how it ended and what it used. */
function ExecutionText({ traceId, sequence }: { traceId: string; sequence: number }): ReactNode {
  const { data: executions = [] } = useQuery(createExecutionsQuery(traceId));
  const found = executions.find(
    ({ receipts: { claim, outcome } }) =>
      claim.sequence === sequence || outcome?.sequence === sequence,
  );
  if (!found) return null;
  const { receipts, state, used } = found;
  const isClaim = receipts.claim.sequence === sequence;
  return (
    <Text size="sm" c="dimmed">
      {isClaim ? STATES.claimed : `${STATES[state]}${describeUsed(used)}`}
    </Text>
  );
}

function describeUsed(used: Execution['used']): string {
  const parts = [
    used?.amount === undefined ? [] : [`an amount of ${formatAmount(used.amount)}`],
    used?.tokens === undefined ? [] : [formatCount(used.tokens, 'token')],
  ].flat();
  return parts.length === 0 ? '' : `; used ${parts.join(' and ')}`;
}

function CheckResult({ outcome, count }: { outcome: number | null; count: number }): ReactNode {
  const text =
    outcome === null
      ? `${count === 1 ? 'The entry is' : `All ${count} entries are`} what the hashes say`
      : `Entry ${outcome} does not match its hash`;
  return (
    <Text
      size="sm"
      fw={600}
      role="status"
      c={outcome === null ? 'var(--assay-approved)' : 'var(--assay-blocked)'}
    >
      {text}
    </Text>
  );
}
