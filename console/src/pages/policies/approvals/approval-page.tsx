// One proposed change: what it changes, who did what, and what this user may do next.
import { Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { ButtonLink } from '../../../parts/links.tsx';
import { Page } from '../../../parts/page.tsx';
import { Loading, QueryView } from '../../../parts/states.tsx';
import { TextDiff } from '../../../parts/diff/text-diff.tsx';
import { markInvisible, ShortHash } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { formatRule } from '../editor/rule-text.ts';
import {
  type Approval,
  createApprovalQuery,
  createRevisionQuery,
  type PolicyContents,
  readSubject,
  toContents,
} from '../policy-queries.ts';
import { ApprovalActions } from './approval-actions.tsx';
import { ApprovalSign } from './approval-sign.tsx';

const ListDifference = lazy(async () => ({
  default: (await import('./list-difference.tsx')).ListDifference,
}));

const route = getRouteApi('/session/policies/approvals/$approvalId');

export function ApprovalPage(): ReactNode {
  const { approvalId } = route.useParams();
  const approval = useQuery(createApprovalQuery(approvalId));
  return <QueryView query={approval}>{(found) => <Details approval={found} />}</QueryView>;
}

function Details({ approval }: { approval: Approval }): ReactNode {
  const { state, digest, needsReview } = approval;
  return (
    <Page
      title={markInvisible(readSubject(approval))}
      lead={
        <Group gap="sm" component="span">
          <span>{describeKind(approval)}</span>
          <ApprovalSign state={state} />
          <ShortHash value={digest} label="digest of the contents" />
        </Group>
      }
      actions={<SubjectLink approval={approval} />}
    >
      {needsReview && (
        <Text size="sm" c="var(--assay-held)" fw={600}>
          It was enforced without a review, and waits for one.
        </Text>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper p="md" component="section" aria-label="What it changes">
            <Title order={2} mb="xs">
              What it changes
            </Title>
            <Difference approval={approval} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <ApprovalActions approval={approval} />
            <Steps approval={approval} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function describeKind({ list, tools, policyId }: Approval): string {
  if (tools) return 'A change of tools';
  if (list) return list.after ? 'A change of a list' : 'The removal of a list';
  return policyId === null ? 'A new policy' : 'A change of a policy';
}

/** Leads to what it changes, if that is there. */
function SubjectLink({ approval: { list, policyId } }: { approval: Approval }): ReactNode {
  const looks = { variant: 'default', size: 'xs' } as const;
  if (list)
    return (
      <ButtonLink to="/policies/lists" search={{ list: list.name }} {...looks}>
        The list
      </ButtonLink>
    );
  return (
    policyId !== null && (
      <ButtonLink to="/policies/$policyId" params={{ policyId }} {...looks}>
        The policy
      </ButtonLink>
    )
  );
}

const OPEN_STATES: readonly Approval['state'][] = [
  'draft',
  'pending_review',
  'approved_pending_enforcement',
];

function Difference({ approval }: { approval: Approval }): ReactNode {
  const { policy, list, tools, state } = approval;
  if (list)
    return (
      <Suspense fallback={<Loading />}>
        <ListDifference change={list} isOpen={OPEN_STATES.includes(state)} />
      </Suspense>
    );
  if (tools) return <ToolsDifference tools={tools} />;
  return policy && <PolicyDifference approval={approval} policy={policy} />;
}

/** The entries of each tool as text, before and after. */
function ToolsDifference({ tools }: { tools: NonNullable<Approval['tools']> }): ReactNode {
  const format = (side: 'before' | 'after'): string =>
    tools
      .map(({ name, [side]: entries }) =>
        entries ? `${name} ${JSON.stringify(entries, null, 2)}\n` : `${name}: not listed\n`,
      )
      .join('\n');
  return <TextDiff label="Changes" before={format('before')} after={format('after')} />;
}

interface PolicyProps {
  approval: Approval;
  policy: PolicyContents;
}

function PolicyDifference({
  approval: { policyId, baseRevision },
  policy,
}: PolicyProps): ReactNode {
  const hasBase = policyId !== null && baseRevision !== null;
  const base = useQuery({
    ...createRevisionQuery(policyId ?? '', baseRevision ?? 0),
    enabled: hasBase,
  });
  const after = formatRule(toContents(policy));
  if (!hasBase) return <TextDiff label="Changes" before="" after={after} />;
  return (
    <QueryView query={base}>
      {(found) => <TextDiff label="Changes" before={formatRule(toContents(found))} after={after} />}
    </QueryView>
  );
}

const STEPS: Readonly<Record<string, string>> = {
  open: 'Proposed',
  update: 'Edited',
  'reviewer-approve': 'Reviewed: approved',
  'reviewer-reject': 'Reviewed: rejected',
  'enforcer-promote': 'Put into force',
  'enforcer-reject': 'Not put into force',
  'author-withdraw': 'Withdrawn',
  'break-glass': 'Broke the glass',
};

function Steps({ approval: { steps } }: { approval: Approval }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  return (
    <Paper p="md" component="section" aria-label="Steps">
      <Title order={2} mb="sm">
        Steps
      </Title>
      <ol className="timeline">
        {steps.map(({ action, by, at, reason }, i) => (
          <li key={i}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600}>
                {STEPS[action] ?? action}
              </Text>
              <Ago at={at} />
            </Group>
            <Text size="sm" c="dimmed">
              {members.find(({ userId }) => userId === by)?.name ?? 'A former member'}
            </Text>
            {reason !== null && (
              <Text size="sm" className="stored-text">
                {markInvisible(reason)}
              </Text>
            )}
          </li>
        ))}
      </ol>
    </Paper>
  );
}
