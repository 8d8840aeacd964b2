// Audit bundles: a period as one signed archive, for an auditor who trusts the key and nothing else.
import {
  Button,
  Checkbox,
  Group,
  Paper,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { MoreButton } from '../../parts/layout/more-button.tsx';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { DataTable } from '../../parts/layout/table.tsx';
import { ShortHash } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { auditBundlesQuery } from './evidence-queries.ts';

const DAY_MS = 86_400_000;
const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Values that auditors ask for first; others are withheld. */
const DISCLOSABLE = [
  'rationale',
  'outputDecision',
  'inputContext',
  'triggeringCondition',
  'evaluation',
  'reason',
];

export function AuditBundles(): ReactNode {
  const { mayManage, mayAudit } = useRights();
  const list = useInfiniteQuery({ ...auditBundlesQuery, enabled: mayAudit });
  if (!mayAudit)
    return (
      <Empty icon="evidence" title="Audit bundles">
        Owners and admins make them; they and auditors read them.
      </Empty>
    );
  const bundles = list.data?.pages.flatMap(({ data }) => data);
  return (
    <Stack gap="md">
      {mayManage && <BundleMaker />}
      <QueryView query={{ ...list, data: bundles }}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="evidence" title="No audit bundles yet">
              An audit bundle is an archive of a period with a signed manifest. An auditor checks it
              offline, and has to trust the name of your key alone.
            </Empty>
          ) : (
            <DataTable
              label="Audit bundles"
              columns={['Period', 'Entries', 'Shows', 'Signing key', 'Made', 'File']}
              minWidth={860}
            >
              {found.map((bundle) => (
                <Table.Tr key={bundle.id}>
                  <Table.Td className="numbers">
                    {bundle.from.slice(0, 10)} to {bundle.to.slice(0, 10)}
                  </Table.Td>
                  <Table.Td className="numbers">
                    {bundle.entries.toLocaleString('en')} ({bundle.firstSequence} to{' '}
                    {bundle.lastSequence})
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{bundle.disclosed.join(', ') || 'commitments only'}</Text>
                  </Table.Td>
                  <Table.Td>
                    <ShortHash value={bundle.signerKid} label="name of the key" />
                  </Table.Td>
                  <Table.Td>
                    <Ago at={bundle.createdAt} />
                  </Table.Td>
                  <Table.Td>
                    <SaveButton path={`/api/v1/audit-bundles/${bundle.id}/download`}>
                      Save
                    </SaveButton>
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          )
        }
      </QueryView>
      <MoreButton list={list} />
    </Stack>
  );
}

function BundleMaker(): ReactNode {
  const queries = useQueryClient();
  const [from, setFrom] = useState(() => formatDay(Date.now() - 30 * DAY_MS));
  const [to, setTo] = useState(() => formatDay(Date.now() + DAY_MS));
  const [disclose, setDisclose] = useState<string[]>([]);
  const make = useMutation({
    mutationFn: () => readData(api.POST('/api/v1/audit-bundles', { body: { from, to, disclose } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'bundles'] }),
  });
  return (
    <Paper p="md" component="section" aria-label="Make an audit bundle">
      <Title order={2} mb="xs">
        Make one
      </Title>
      <Checkbox.Group
        label="Values to show"
        description="The others are commitments only"
        value={disclose}
        onChange={setDisclose}
        mb="sm"
      >
        <Group gap="md" mt={6}>
          {DISCLOSABLE.map((name) => (
            <Checkbox key={name} value={name} label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="From"
          placeholder="2026-01-31"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          label="Before"
          placeholder="2026-01-31"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          Verify and sign
        </Button>
      </Group>
      {make.error && (
        <Stack mt="sm">
          <Problem error={make.error} />
        </Stack>
      )}
    </Paper>
  );
}
