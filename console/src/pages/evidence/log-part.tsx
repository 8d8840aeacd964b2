// The witnessed log: what its heads vouch for, who signed them, and the files by which others check that.
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { SaveButton } from '../../parts/layout/save-button.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { ShortHash, Snippet } from '../../parts/text.tsx';
import { Ago, formatExact } from '../../parts/time.tsx';
import { anchorsQuery, createLogKeysQuery } from './evidence-queries.ts';
import { PromiseCheck } from './promise-check.tsx';

type Anchor = Omit<components['schemas']['ChainAnchor'], 'eidasTimestamp'>;

export function LogPart(): ReactNode {
  const anchors = useQuery(anchorsQuery);
  return (
    <QueryView query={anchors}>
      {(found) =>
        found.length === 0 ? (
          <Empty icon="evidence" title="No anchors yet">
            The chain is sealed into a signed log soon after its first entry, where the service
            keeps one. Each anchor then stands here.
          </Empty>
        ) : (
          <Stack gap="md">
            <Meaning newest={found[0]} />
            <Anchors anchors={found} />
            <PromiseCheck />
            <Keys origin={found[0]?.origin ?? ''} />
          </Stack>
        )
      }
    </QueryView>
  );
}

function Meaning({ newest }: { newest: Anchor | undefined }): ReactNode {
  if (!newest) return null;
  const { treeSize, witnessed, sealedAt } = newest;
  return (
    <Paper p="md" component="section" aria-label="What is vouched for">
      <Title order={2}>
        Entries 1 to {treeSize.toLocaleString('en')} are fixed{' '}
        {witnessed ? 'before witnesses' : 'by our signature'}
      </Title>
      <Text size="sm" mt={4}>
        {witnessed
          ? `As many witnesses as the policy asks for have signed for the head of ${formatExact(sealedAt)}. To change an entry now, they would have to sign again.`
          : 'Witnesses have not signed for it. Until they do, the head is worth what our signature is worth: note it, or run a witness.'}
      </Text>
    </Paper>
  );
}

function Anchors({ anchors }: { anchors: readonly Anchor[] }): ReactNode {
  return (
    <DataTable
      label="Anchors"
      rows={anchors}
      toKey={({ anchorId }) => anchorId}
      columns={[
        {
          title: 'Covers',
          cell: ({ treeSize }) => (
            <span className="numbers">1 to {treeSize.toLocaleString('en')}</span>
          ),
        },
        { title: 'Sealed', cell: ({ sealedAt }) => <Ago at={sealedAt} /> },
        {
          title: 'Root',
          cell: ({ root, treeSize }) => (
            <ShortHash value={root} label={`root of ${treeSize} entries`} />
          ),
        },
        { title: 'Witnesses', cell: (anchor) => <Witnesses anchor={anchor} /> },
        {
          title: 'Files',
          isTitleHidden: true,
          cell: (anchor) => (
            <RowActions>
              <SaveButton path={toProofPath(anchor, anchor.treeSize)}>Proof</SaveButton>
              <SaveButton path={toProofPath(anchor)}>
                {anchor.witnessed ? 'Witnessed head' : 'Signed head'}
              </SaveButton>
            </RowActions>
          ),
        },
      ]}
    />
  );
}

const toProofPath = ({ anchorId }: Anchor, sequence?: number): string =>
  `/api/v1/hash-chain/anchors/${anchorId}/tlog-proof${sequence === undefined ? '' : `?sequence=${sequence}`}`;

function Witnesses({ anchor: { cosignatures, witnessed } }: { anchor: Anchor }): ReactNode {
  if (cosignatures.length === 0)
    return witnessed ? (
      'They have signed'
    ) : (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    );
  return (
    <Stack gap={2}>
      {cosignatures.map(({ witness, at }) => (
        <Group key={witness} gap={6} wrap="nowrap">
          <Badge color="gray">{witness}</Badge>
          <Ago at={at} />
        </Group>
      ))}
    </Stack>
  );
}

function Keys({ origin }: { origin: string }): ReactNode {
  const { data: all = [] } = useQuery(createLogKeysQuery(origin));
  if (all.length === 0) return null;
  return (
    <Paper p="md" component="section" aria-label="Keys">
      <Title order={2}>Keys</Title>
      <Text size="sm" c="dimmed" mb="xs">
        Those who verify need them from you, by another way than the bundle: by telephone, or
        printed in a contract.
      </Text>
      <Snippet code={all.join('\n')} label="keys of the log and of promises" />
    </Paper>
  );
}
