// Manifests: signed claims that a content came from a decision, each checked or revoked here.
import { Button, Select, Stack } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { TextLink } from '../../parts/links.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { markInvisible, ShortHash } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { manifestsQuery } from './evidence-queries.ts';

type Manifest = components['schemas']['Manifest'];
type Reason = NonNullable<Manifest['revocationReason']>;

export function Manifests(): ReactNode {
  const list = useInfiniteQuery(manifestsQuery);
  const manifests = list.data?.pages.flatMap(({ data }) => data);
  const { mayManage } = useRights();
  const { check, results } = useChecks();
  const columns: readonly Column<Manifest>[] = [
    ...COLUMNS,
    {
      title: 'State',
      cell: (manifest) => (
        <span role="status">
          {describeVerdict(results.get(manifest.id)) ?? describeState(manifest)}
        </span>
      ),
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: ({ id, revokedAt }) => (
        <RowActions>
          <Button
            variant="default"
            size="xs"
            loading={check.isPending && check.variables === id}
            onClick={() => check.mutate(id)}
          >
            Check
          </Button>
          {mayManage && revokedAt === null && <RevokeButton id={id} />}
        </RowActions>
      ),
    },
  ];
  return (
    <Stack gap="md">
      <QueryView query={{ ...list, data: manifests }}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="evidence" title="No manifests yet">
              A manifest is a signed claim that a text or picture came from a decision. An agent or
              a person issues it by <code>POST /api/v1/provenance/c2pa/manifests</code>.
            </Empty>
          ) : (
            <DataTable label="Manifests" rows={found} toKey={({ id }) => id} columns={columns} />
          )
        }
      </QueryView>
      {check.error && <Problem error={check.error} />}
      <ShowMore list={list} />
    </Stack>
  );
}

const COLUMNS: readonly Column<Manifest>[] = [
  {
    title: 'Label',
    cell: ({ label }) => <span className="stored-text">{markInvisible(label)}</span>,
  },
  {
    title: 'Decision',
    cell: ({ traceId }) => (
      <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm" className="numbers">
        {`${traceId.slice(0, 16)}…`}
      </TextLink>
    ),
  },
  {
    title: 'Content',
    cell: ({ contentHash }) => <ShortHash value={contentHash} label="hash of the content" />,
  },
  {
    title: 'Key',
    cell: ({ signerKid }) =>
      signerKid === null ? '—' : <ShortHash value={signerKid} label="name of the key" />,
  },
  { title: 'Issued', cell: ({ issuedAt }) => <Ago at={issuedAt} /> },
];

interface Result {
  verified: boolean;
  reason: string;
}

/** Checks manifests one at a time; `results` has what was found, by id. */
function useChecks() {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const check = useMutation({
    mutationFn: (id: string): Promise<Result> =>
      readData(
        api.GET('/api/v1/provenance/c2pa/manifests/{id}/verify', { params: { path: { id } } }),
      ),
    onSuccess: (result, id) => setResults((known) => new Map([...known, [id, result]])),
  });
  return { check, results };
}

const describeReason = (reason: string): string => reason.replaceAll(/[-_]/g, ' ');

function describeVerdict(result: Result | undefined): string | undefined {
  if (!result) return undefined;
  return result.verified ? 'Holds' : `Does not hold: ${describeReason(result.reason)}`;
}

const describeState = ({ revokedAt, revocationReason }: Manifest): string =>
  revokedAt === null ? 'Issued' : `Revoked: ${describeReason(revocationReason ?? '')}`;

const REASONS: readonly Reason[] = [
  'superseded',
  'content-withdrawn',
  'issued-in-error',
  'key-compromise',
  'other',
];

function RevokeButton({ id }: { id: string }): ReactNode {
  const queries = useQueryClient();
  const [reason, setReason] = useState<Reason>('superseded');
  const revoke = useMutation({
    mutationFn: () =>
      readData(
        api.POST('/api/v1/provenance/c2pa/manifests/{id}/revoke', {
          params: { path: { id } },
          body: { reason },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'manifests'] }),
  });
  return (
    <ConfirmButton
      label="Revoke"
      confirmLabel="Revoke for good"
      title="Revoke this manifest?"
      mutation={revoke}
      onConfirm={() => revoke.mutateAsync()}
      isDangerous
    >
      Anyone who checks it learns of it from now on. This cannot be undone.
      <Select
        label="Reason"
        mt="sm"
        allowDeselect={false}
        data={REASONS.map((value) => ({ value, label: describeReason(value) }))}
        value={reason}
        onChange={(value) => value !== null && setReason(value as Reason)}
      />
    </ConfirmButton>
  );
}
