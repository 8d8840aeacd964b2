// Erasures: what was destroyed on request, with a signed certificate each, while the chain stays whole.
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { MemberName } from '../../parts/record/thing-name.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { type Column, DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { markInvisible, ShortHash, Snippet } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { toTitle } from '../../parts/words.ts';
import { useRights } from '../../session/session.ts';
import { EraseForm } from './erase-form.tsx';
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
  { title: 'By', cell: ({ acknowledgedBy }) => <MemberName id={acknowledgedBy} /> },
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

const formatJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
