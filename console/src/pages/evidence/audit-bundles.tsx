// Audit bundles: a period as one signed archive, for an auditor who trusts the key and nothing else.
import { Box, Button, Checkbox, Group, Paper, Stack, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { ShortHash } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { auditBundlesQuery } from './evidence-queries.ts';

type AuditBundle = components['schemas']['AuditBundle'];

const DAY_MS = 86_400_000;
const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Values that auditors ask for first, by the members that hold them; others are withheld. */
const DISCLOSABLE = {
  rationale: 'Rationale',
  outputDecision: 'Action and output',
  inputContext: 'Prompt and context',
  triggeringCondition: 'What triggered it',
  evaluation: 'How it was judged',
  reason: 'Reasons of verdicts',
} as const;
const isDisclosable = (name: string): name is keyof typeof DISCLOSABLE =>
  Object.hasOwn(DISCLOSABLE, name);

const describeDisclosed = (names: readonly string[]): string =>
  names.map((name) => (isDisclosable(name) ? DISCLOSABLE[name] : name)).join(', ') ||
  'commitments only';

const COLUMNS: readonly Column<AuditBundle>[] = [
  {
    title: 'Period',
    cell: ({ from, to }) => (
      <span className="numbers">
        {from.slice(0, 10)} to {to.slice(0, 10)}
      </span>
    ),
  },
  {
    title: 'Entries',
    cell: ({ entries, firstSequence, lastSequence }) => (
      <span className="numbers">
        {entries.toLocaleString('en')} ({firstSequence} to {lastSequence})
      </span>
    ),
  },
  { title: 'Shows', cell: ({ disclosed }) => describeDisclosed(disclosed) },
  {
    title: 'Signing key',
    cell: ({ signerKid }) => <ShortHash value={signerKid} label="name of the key" />,
  },
  { title: 'Made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: 'File',
    isTitleHidden: true,
    cell: ({ id }) => (
      <RowActions>
        <SaveButton path={`/api/v1/audit-bundles/${id}/download`}>Save</SaveButton>
      </RowActions>
    ),
  },
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
              rows={found}
              toKey={({ id }) => id}
              columns={COLUMNS}
            />
          )
        }
      </QueryView>
      <ShowMore list={list} />
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
        description="Of the others the bundle holds commitments: they prove a value without showing it"
        value={disclose}
        onChange={setDisclose}
        mb="sm"
      >
        <Box mt={6} className="choices">
          {Object.entries(DISCLOSABLE).map(([name, label]) => (
            <Checkbox key={name} value={name} label={label} />
          ))}
        </Box>
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
