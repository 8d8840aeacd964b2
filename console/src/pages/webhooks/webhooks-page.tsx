// Webhooks: where events go, whether they arrive, and those that Assay switched off.
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../parts/icons.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { RowLink } from '../../parts/lists/row-link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { describeType, type Webhook, webhooksQuery } from './webhook-queries.ts';
import { describeSuccess, WebhookState } from './webhook-state.tsx';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'Address',
    cell: ({ _id: webhookId, url, description }) => (
      <>
        <RowLink to="/webhooks/$webhookId" params={{ webhookId }}>
          {url}
        </RowLink>
        {description !== '' && (
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        )}
      </>
    ),
  },
  { title: 'Receiver', cell: ({ type }) => describeType(type) },
  {
    title: 'Events',
    cell: ({ events }) => (events.includes('*') ? 'Everything' : events.join(', ')),
  },
  { title: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Arrived', cell: describeSuccess },
  {
    title: 'Last event',
    isEnd: true,
    cell: ({ lastTriggered }) => (lastTriggered === null ? 'None yet' : <Ago at={lastTriggered} />),
  },
];

export function WebhooksPage(): ReactNode {
  const list = useQuery(webhooksQuery);
  const { mayManage } = useRights();
  const [isOpen, setOpen] = useState(false);
  return (
    <Page
      title="Webhooks"
      lead="Events go to servers of yours, signed, and at least once each."
      actions={
        mayManage && (
          <Button
            size="xs"
            leftSection={<Icon name="plus" size={14} />}
            onClick={() => setOpen(true)}
          >
            Add a webhook
          </Button>
        )
      }
    >
      <QueryView query={list}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty icon="webhooks" title="No webhooks yet">
              A webhook gets what happens here the moment it happens, such as the verdict that an
              agent waits for.
            </Empty>
          ) : (
            <DataTable
              label="Webhooks"
              rows={webhooks}
              toKey={({ _id }) => _id}
              columns={COLUMNS}
            />
          )
        }
      </QueryView>
      <WebhookDialog isOpen={isOpen} webhook={null} onClose={() => setOpen(false)} />
    </Page>
  );
}
