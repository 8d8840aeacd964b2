// Policies: what each does, how often it matched, and how often people agreed with it.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { policiesQuery } from '../../../api/shared-queries.ts';
import { Icon } from '../../../parts/icons.tsx';
import { readLimits } from '../../../parts/limits/limit-words.ts';
import { ButtonLink } from '../../../parts/links.tsx';
import { type Column, DataTable } from '../../../parts/lists/data-table.tsx';
import { RowLink } from '../../../parts/lists/row-link.tsx';
import { Page } from '../../../parts/page.tsx';
import { Empty, QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import { effectivenessQuery, type Policy } from '../policy-queries.ts';
import { findStrongest, formatShare } from '../policy-words.ts';
import { PolicyAction } from './policy-action.tsx';
import { PolicyState } from './policy-state.tsx';
import { Templates } from './templates.tsx';

export function PoliciesPage(): ReactNode {
  const policies = useQuery(policiesQuery);
  const { mayWrite } = useRights();
  return (
    <Page
      title="Policies"
      lead="Every enabled policy judges every decision; the strictest one decides."
      actions={
        <>
          <ButtonLink to="/policies/approvals" variant="default" size="xs">
            Approvals
          </ButtonLink>
          <ButtonLink to="/policies/lists" variant="default" size="xs">
            Lists
          </ButtonLink>
          {mayWrite && (
            <ButtonLink
              to="/policies/$policyId"
              params={{ policyId: 'new' }}
              size="xs"
              leftSection={<Icon name="plus" size={14} />}
            >
              New policy
            </ButtonLink>
          )}
        </>
      }
    >
      <QueryView query={policies}>
        {(found) => (
          <Stack gap="md">
            {found.length === 0 ? (
              <Empty icon="policies" title="No policies yet">
                Without one, every decision passes. Begin with a template below, or write your own.
              </Empty>
            ) : (
              <PolicyTable policies={found} />
            )}
            {mayWrite && <Templates policies={found} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}

const COLUMNS: readonly Column<Policy>[] = [
  {
    title: 'Policy',
    cell: ({ id: policyId, name, description }) => (
      <>
        <RowLink to="/policies/$policyId" params={{ policyId }}>
          {markInvisible(name)}
        </RowLink>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {markInvisible(description)}
        </Text>
      </>
    ),
  },
  {
    title: 'Does',
    cell: ({ actions }) => (
      <>
        <PolicyAction {...findStrongest(actions)} />
        {readLimits(actions).length > 0 && (
          <Text size="xs" c="dimmed">
            beyond a limit
          </Text>
        )}
      </>
    ),
  },
  { title: 'State', isShort: true, cell: (policy) => <PolicyState policy={policy} /> },
  {
    title: 'Matches',
    isShort: true,
    cell: ({ matchCount, lastMatched }) => (
      <Group gap={6} wrap="nowrap" className="numbers">
        {matchCount.toLocaleString('en')}
        {lastMatched && <Ago at={lastMatched} />}
      </Group>
    ),
  },
];

function PolicyTable({ policies }: { policies: readonly Policy[] }): ReactNode {
  const { data: effectiveness } = useQuery(effectivenessQuery);
  const precision = new Map(
    effectiveness?.policies.map((measured) => [measured.policyId, measured.precision]),
  );
  const columns: readonly Column<Policy>[] = [
    ...COLUMNS,
    {
      title: 'Right when it held',
      isShort: true,
      cell: ({ id }) => formatShare(precision.get(id)),
    },
    { title: 'Changed', isEnd: true, cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
  ];
  const inOrder = policies.toSorted((one, other) => one.priority - other.priority);
  return <DataTable label="Policies" rows={inOrder} toKey={({ id }) => id} columns={columns} />;
}
