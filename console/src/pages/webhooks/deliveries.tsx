// What became of the deliveries of a webhook, each with what was sent, what went wrong, and a way to send it again.
import { Button, Modal, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData } from '../../api/client.ts';
import { useChange } from '../../parts/forms/use-change.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { DataTable, RowActions } from '../../parts/lists/data-table.tsx';
import { ShowMore } from '../../parts/lists/paged-list.tsx';
import { Problem, QueryView } from '../../parts/states.tsx';
import { Stored } from '../../parts/text.tsx';
import { Ago, formatExact } from '../../parts/time.tsx';
import { Sign } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { createDeliveriesQuery, type Delivery, type Webhook } from './webhook-queries.ts';
import type { DELIVERY_STATUSES } from './webhooks.route.ts';

const route = getRouteApi('/session/webhooks/$webhookId');

const LOOKS = {
  delivered: { tone: 'good', word: 'Delivered' },
  pending: { tone: 'warning', word: 'Waiting' },
  failed: { tone: 'bad', word: 'Failed' },
} as const;

export function Deliveries({ webhook }: { webhook: Webhook }): ReactNode {
  const { status } = route.useSearch();
  const list = useInfiniteQuery(createDeliveriesQuery(webhook._id, status));
  const [opened, setOpened] = useState<Delivery | null>(null);
  return (
    <Section
      title="Deliveries"
      lead="Of the last week, the newest first."
      actions={<StatusFilter />}
    >
      <QueryView query={list}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Text size="sm" c="dimmed">
              {status === undefined ? 'Nothing was sent yet.' : 'None is like that.'}
            </Text>
          ) : (
            <>
              <DeliveryTable deliveries={deliveries} onOpen={setOpened} />
              <ShowMore list={list} />
            </>
          )
        }
      </QueryView>
      <Modal
        opened={opened !== null}
        onClose={() => setOpened(null)}
        title="Delivery"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {opened && <DeliveryDetails delivery={opened} onResent={setOpened} />}
      </Modal>
    </Section>
  );
}

function StatusFilter(): ReactNode {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label="Status of deliveries"
      value={status ?? 'all'}
      data={[
        { value: 'all', label: 'All' },
        ...Object.entries(LOOKS).map(([value, { word }]) => ({ value, label: word })),
      ]}
      onChange={(value) =>
        void navigate({
          search: value === 'all' ? {} : { status: value as (typeof DELIVERY_STATUSES)[number] },
          replace: true,
        })
      }
    />
  );
}

interface TableProps {
  deliveries: readonly Delivery[];
  onOpen: (delivery: Delivery) => void;
}

function DeliveryTable({ deliveries, onOpen }: TableProps): ReactNode {
  return (
    <DataTable
      label="Deliveries"
      isPlain
      rows={deliveries}
      toKey={({ _id }) => _id}
      columns={[
        { title: 'Event', cell: ({ event }) => event },
        {
          title: 'Status',
          cell: ({ status }) => <Sign tone={LOOKS[status].tone}>{LOOKS[status].word}</Sign>,
        },
        { title: 'Answer', cell: ({ statusCode }) => statusCode ?? '—' },
        { title: 'Attempts', cell: ({ attempts }) => attempts },
        { title: 'Made', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        {
          title: 'Details',
          isTitleHidden: true,
          isEnd: true,
          cell: (delivery) => (
            <RowActions>
              <Button variant="default" size="xs" onClick={() => onOpen(delivery)}>
                Open
              </Button>
            </RowActions>
          ),
        },
      ]}
    />
  );
}

interface DetailsProps {
  delivery: Delivery;
  onResent: (delivery: Delivery) => void;
}

function DeliveryDetails({ delivery, onResent }: DetailsProps): ReactNode {
  const { mayManage } = useRights();
  const { status, statusCode, durationMs, error, lastAttemptAt, nextAttemptAt } = delivery;
  const resend = useChange({
    change: () => {
      const path = { id: delivery.webhookId, deliveryId: delivery._id };
      return readData(
        api.POST('/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend', { params: { path } }),
      );
    },
    refresh: ['deliveries', 'webhooks'],
    onDone: onResent,
  });
  return (
    <Stack gap="sm">
      <Facts
        items={[
          ['Status', LOOKS[status].word],
          ['webhook-id', delivery.messageId],
          ['Attempts', delivery.attempts],
          ['Last attempt', lastAttemptAt && formatExact(lastAttemptAt)],
          ['Answer', statusCode === null ? error : `${statusCode} after ${durationMs} ms`],
          ['Reason', statusCode === null ? null : error],
          ['Next attempt', nextAttemptAt && formatExact(nextAttemptAt)],
        ]}
      />
      <Stored value={delivery.body} />
      {resend.error && <Problem error={resend.error} />}
      {mayManage && status !== 'pending' && (
        <Button
          variant="default"
          w="fit-content"
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          Send it again
        </Button>
      )}
    </Stack>
  );
}
