// Policies: what each does, how often it matched, and how often people agreed with it.
import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { policiesQuery } from '../../../api/shared-queries.ts';
import { Icon } from '../../../parts/icons.tsx';
import { ButtonLink, TextLink } from '../../../parts/links.tsx';
import { Page } from '../../../parts/page.tsx';
import { Empty, QueryView } from '../../../parts/states.tsx';
import { DataTable } from '../../../parts/layout/table.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useRights } from '../../../session/session.ts';
import { effectivenessQuery, type Policy } from '../policy-queries.ts';
import { findStrongest, formatPercent, formatShare } from '../policy-words.ts';
import { PolicyAction } from './policy-action.tsx';
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

function PolicyTable({ policies }: { policies: readonly Policy[] }): ReactNode {
  const { data: effectiveness } = useQuery(effectivenessQuery);
  const precision = new Map(
    effectiveness?.policies.map((measured) => [measured.policyId, measured.precision]),
  );
  const inOrder = policies.toSorted((one, other) => one.priority - other.priority);
  return (
    <DataTable
      label="Policies"
      columns={['Policy', 'Does', 'State', 'Matches', 'Right when it held', 'Changed']}
      minWidth={820}
    >
      {inOrder.map((policy) => (
        <Table.Tr key={policy.id}>
          <Table.Td maw={320}>
            <TextLink to="/policies/$policyId" params={{ policyId: policy.id }} fw={600} size="sm">
              {markInvisible(policy.name)}
            </TextLink>
            <Text size="xs" c="dimmed" lineClamp={1}>
              {markInvisible(policy.description)}
            </Text>
          </Table.Td>
          <Table.Td>
            <PolicyAction {...findStrongest(policy.actions)} />
          </Table.Td>
          <Table.Td>
            <PolicyState policy={policy} />
          </Table.Td>
          <Table.Td className="numbers">
            <Group gap={6} wrap="nowrap">
              {policy.matchCount.toLocaleString('en')}
              {policy.lastMatched && <Ago at={policy.lastMatched} />}
            </Group>
          </Table.Td>
          <Table.Td className="numbers">{formatShare(precision.get(policy.id))}</Table.Td>
          <Table.Td>
            <Ago at={policy.updatedAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

export function PolicyState({ policy }: { policy: Policy }): ReactNode {
  if (policy.canary)
    return <Badge color="accent">Canary {formatPercent(policy.canary.share)}</Badge>;
  return <Text size="sm">{policy.enabled ? 'Enabled' : 'Off'}</Text>;
}
