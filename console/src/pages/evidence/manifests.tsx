// Manifests: signed claims that a content came from a decision, each checked or revoked here.
import { Button, Group, Menu, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { TextLink } from '../../parts/links.tsx';
import { MoreButton } from '../../parts/layout/more-button.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { DataTable } from '../../parts/layout/table.tsx';
import { markInvisible, ShortHash } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { manifestsQuery } from './evidence-queries.ts';

type Manifest = components['schemas']['Manifest'];
type Reason = NonNullable<Manifest['revocationReason']>;

export function Manifests(): ReactNode {
  const list = useInfiniteQuery(manifestsQuery);
  const manifests = list.data?.pages.flatMap(({ data }) => data);
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
            <DataTable
              label="Manifests"
              columns={['Label', 'Decision', 'Content', 'Key', 'Issued', 'State', '']}
              minWidth={860}
            >
              {found.map((manifest) => (
                <ManifestRow key={manifest.id} manifest={manifest} />
              ))}
            </DataTable>
          )
        }
      </QueryView>
      <MoreButton list={list} />
    </Stack>
  );
}

function ManifestRow({ manifest }: { manifest: Manifest }): ReactNode {
  const { id, label, traceId, contentHash, signerKid, issuedAt, revokedAt } = manifest;
  const { mayManage } = useRights();
  const check = useMutation({
    mutationFn: () =>
      readData(
        api.GET('/api/v1/provenance/c2pa/manifests/{id}/verify', { params: { path: { id } } }),
      ),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="stored-text">
          {markInvisible(label)}
        </Text>
      </Table.Td>
      <Table.Td>
        <TextLink to="/decisions/$traceId" params={{ traceId }} size="sm" className="numbers">
          {`${traceId.slice(0, 16)}…`}
        </TextLink>
      </Table.Td>
      <Table.Td>
        <ShortHash value={contentHash} label="hash of the content" />
      </Table.Td>
      <Table.Td>
        {signerKid === null ? '–' : <ShortHash value={signerKid} label="name of the key" />}
      </Table.Td>
      <Table.Td>
        <Ago at={issuedAt} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" role="status">
          {check.data ? describeVerdict(check.data) : describeState(manifest)}
        </Text>
        {check.error && <Problem error={check.error} />}
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Button
            variant="default"
            size="xs"
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Check
          </Button>
          {mayManage && revokedAt === null && <RevokeMenu id={id} />}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

const describeVerdict = ({ verified, reason }: { verified: boolean; reason: string }): string =>
  verified ? 'Holds' : `Does not hold: ${reason.replaceAll(/[-_]/g, ' ')}`;

const describeState = ({ revokedAt, revocationReason }: Manifest): string =>
  revokedAt === null ? 'Issued' : `Revoked: ${(revocationReason ?? '').replaceAll(/[-_]/g, ' ')}`;

const REASONS: readonly Reason[] = [
  'superseded',
  'content-withdrawn',
  'issued-in-error',
  'key-compromise',
  'other',
];

function RevokeMenu({ id }: { id: string }): ReactNode {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (reason: Reason) =>
      readData(
        api.POST('/api/v1/provenance/c2pa/manifests/{id}/revoke', {
          params: { path: { id } },
          body: { reason },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'manifests'] }),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs" loading={revoke.isPending}>
          Revoke
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>For good, because of</Menu.Label>
        {REASONS.map((reason) => (
          <Menu.Item key={reason} onClick={() => revoke.mutate(reason)}>
            {reason.replaceAll(/[-_]/g, ' ')}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
