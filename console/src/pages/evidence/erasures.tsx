// Erasures: what was destroyed on request, with a signed certificate each, while the chain stays whole.
import { Button, Code, Group, Modal, Stack, Text, Textarea, Title, Paper } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { markInvisible, ShortHash, Snippet } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { toTitle } from '../../parts/words.ts';
import { useRights } from '../../session/session.ts';
import { erasuresQuery } from './evidence-queries.ts';
import { RemainingCopies } from './remaining-copies.tsx';

type Erasure = components['schemas']['Erasure'];

export function Erasures(): ReactNode {
  const { isOwner } = useRights();
  const list = useInfiniteQuery(erasuresQuery);
  const erasures = list.data?.pages.flatMap(({ data }) => data);
  const [shown, setShown] = useState<Erasure | null>(null);
  const columns: readonly Column<Erasure>[] = [
    ...COLUMNS,
    {
      title: 'Certificate',
      isTitleHidden: true,
      cell: (erasure) =>
        erasure.certificate !== null && (
          <RowActions>
            <Button variant="default" size="xs" onClick={() => setShown(erasure)}>
              Show
            </Button>
          </RowActions>
        ),
    },
  ];
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
              rows={found}
              toKey={({ acknowledgementId }) => acknowledgementId}
              columns={columns}
            />
          )
        }
      </QueryView>
      <ShowMore list={list} />
      <Certificate erasure={shown} onClose={() => setShown(null)} />
    </Stack>
  );
}

const COLUMNS: readonly Column<Erasure>[] = [
  { title: 'State', cell: ({ status }) => toTitle(status) },
  { title: 'Decisions', cell: ({ counts }) => <span className="numbers">{counts.decisions}</span> },
  { title: 'Values', cell: ({ counts }) => <span className="numbers">{counts.values}</span> },
  {
    title: 'Reason',
    cell: ({ reason }) => <span className="stored-text">{markInvisible(reason)}</span>,
  },
  {
    title: 'Time',
    cell: ({ executedAt, expiresAt }) => <Ago at={executedAt ?? expiresAt} />,
  },
];

interface CertificateProps {
  /** Null: none is shown. */
  erasure: Erasure | null;
  onClose: () => void;
}

function Certificate({ erasure, onClose }: CertificateProps): ReactNode {
  return (
    <Modal opened={erasure !== null} onClose={onClose} title="Certificate" size="lg">
      {erasure && (
        <Stack gap="sm">
          <Text size="sm" component="div">
            Signed by the key <ShortHash value={erasure.signerKid ?? ''} label="name of the key" />.
            It is an entry of the chain too.
          </Text>
          <RemainingCopies id={erasure.acknowledgementId} />
          <Snippet code={formatJson(erasure.certificate ?? '')} label="certificate" />
          <Snippet code={erasure.signature ?? ''} label="signature" />
        </Stack>
      )}
    </Modal>
  );
}

const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

const formatJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const route = getRouteApi('/session/evidence');

/** In two steps: what it would take, then that it is done. */
function EraseForm(): ReactNode {
  const queries = useQueryClient();
  const { about = '' } = route.useSearch();
  const [ids, setIds] = useState(about);
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
              This destroys {formatCount(impact.counts.values, 'value')} of{' '}
              {formatCount(impact.counts.decisions, 'decision')}, with{' '}
              {formatCount(impact.counts.reviewItems, 'review')} and{' '}
              {formatCount(impact.counts.outboxRows, 'notice')}. Digest{' '}
              <Code>{impact.impactDigest.slice(0, 12)}</Code>
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
