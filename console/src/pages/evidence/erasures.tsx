// Erasures: what was destroyed on request, with a signed certificate each, while the chain stays whole.
import {
  Button,
  Code,
  Group,
  Modal,
  Stack,
  Table,
  Text,
  Textarea,
  Title,
  Paper,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { MoreButton } from '../../parts/layout/more-button.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { DataTable } from '../../parts/layout/table.tsx';
import { markInvisible, ShortHash, Snippet } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { erasuresQuery } from './evidence-queries.ts';

type Erasure = components['schemas']['Erasure'];

export function Erasures(): ReactNode {
  const { isOwner } = useRights();
  const list = useInfiniteQuery(erasuresQuery);
  const erasures = list.data?.pages.flatMap(({ data }) => data);
  return (
    <Stack gap="md">
      {isOwner && <EraseForm />}
      <QueryView query={{ ...list, data: erasures }}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="evidence" title="Nothing was erased on request">
              An erasure destroys the values of decisions, and leaves their entries. The chain stays
              whole, and a signed certificate says what went.
            </Empty>
          ) : (
            <DataTable
              label="Erasures"
              columns={['State', 'Decisions', 'Values', 'Reason', 'Time', 'Certificate']}
              minWidth={760}
            >
              {found.map((erasure) => (
                <ErasureRow key={erasure.acknowledgementId} erasure={erasure} />
              ))}
            </DataTable>
          )
        }
      </QueryView>
      <MoreButton list={list} />
    </Stack>
  );
}

const formatState = (state: string): string => state.charAt(0).toUpperCase() + state.slice(1);

function ErasureRow({ erasure }: { erasure: Erasure }): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { status, counts, reason, executedAt, expiresAt, certificate, signature } = erasure;
  return (
    <Table.Tr>
      <Table.Td>{formatState(status)}</Table.Td>
      <Table.Td className="numbers">{counts.decisions}</Table.Td>
      <Table.Td className="numbers">{counts.values}</Table.Td>
      <Table.Td maw={260}>
        <Text size="sm" className="stored-text">
          {markInvisible(reason)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Ago at={executedAt ?? expiresAt} />
      </Table.Td>
      <Table.Td>
        {certificate !== null && (
          <Button variant="default" size="xs" onClick={open}>
            Show
          </Button>
        )}
        <Modal opened={isOpen} onClose={close} title="Certificate" size="lg">
          <Stack gap="sm">
            <Text size="sm">
              Signed by the key{' '}
              <ShortHash value={erasure.signerKid ?? ''} label="name of the key" />. It is an entry
              of the chain too.
            </Text>
            <Snippet code={formatJson(certificate ?? '')} label="certificate" />
            <Snippet code={signature ?? ''} label="signature" />
          </Stack>
        </Modal>
      </Table.Td>
    </Table.Tr>
  );
}

const formatJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** In two steps: what it would take, then that it is done. */
function EraseForm(): ReactNode {
  const queries = useQueryClient();
  const [ids, setIds] = useState('');
  const [reason, setReason] = useState('');
  const traceIds = ids.split(/[\s,]+/).filter((id) => id !== '');
  const acknowledge = useMutation({
    mutationFn: () =>
      readData(api.POST('/api/v1/erasure/acknowledge', { body: { traceIds, reason } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evidence', 'erasures'] }),
  });
  const execute = useMutation({
    mutationFn: (body: { acknowledgementId: string; impactDigest: string }) =>
      readData(api.POST('/api/v1/erasure/execute', { body })),
    async onSuccess() {
      acknowledge.reset();
      setIds('');
      setReason('');
      await queries.invalidateQueries({ queryKey: ['evidence'] });
      await queries.invalidateQueries({ queryKey: ['decisions'] });
    },
  });
  const impact = acknowledge.data;
  return (
    <Paper p="md" component="section" aria-label="Erase decisions">
      <Title order={2}>Erase decisions</Title>
      <Text size="sm" c="dimmed" mb="sm">
        Their values are destroyed for good. You see what it takes before anything goes.
      </Text>
      <Stack gap="sm" maw={640}>
        <Textarea
          label="Ids of decisions"
          placeholder="trc_…"
          autosize
          minRows={2}
          maxRows={6}
          value={ids}
          disabled={impact !== undefined}
          onChange={(event) => setIds(event.currentTarget.value)}
          classNames={{ input: 'code-input' }}
        />
        <Textarea
          label="Reason"
          placeholder="Such as the request of the person concerned"
          value={reason}
          disabled={impact !== undefined}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {impact ? (
          <Stack gap="xs" role="status">
            <Text size="sm">
              This destroys {impact.counts.values} values of {impact.counts.decisions} decisions,
              with {impact.counts.reviewItems} reviews and {impact.counts.outboxRows} notices.
              Digest <Code>{impact.impactDigest.slice(0, 12)}</Code>
            </Text>
            <Group gap="xs">
              <Button
                color="red"
                loading={execute.isPending}
                onClick={() => execute.mutate(impact)}
              >
                Erase for good
              </Button>
              <Button variant="default" onClick={() => acknowledge.reset()}>
                Back
              </Button>
            </Group>
          </Stack>
        ) : (
          <Button
            variant="default"
            w="fit-content"
            disabled={traceIds.length === 0 || reason.trim() === ''}
            loading={acknowledge.isPending}
            onClick={() => acknowledge.mutate()}
          >
            Show what it would take
          </Button>
        )}
        {acknowledge.error && <Problem error={acknowledge.error} />}
        {execute.error && <Problem error={execute.error} />}
      </Stack>
    </Paper>
  );
}
