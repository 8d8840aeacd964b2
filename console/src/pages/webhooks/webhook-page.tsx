// One webhook: its state, a test, and what became of each delivery of the last week.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, readData, readEnvelope } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { showNote, useChange } from '../../parts/forms/use-change.ts';
import { Facts } from '../../parts/layout/facts.tsx';
import { Section } from '../../parts/layout/section.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Problem, QueryView } from '../../parts/states.tsx';
import { formatExact } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { Deliveries } from './deliveries.tsx';
import { SignatureExample } from './signature-example.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { describeType, type Webhook, webhooksQuery } from './webhook-queries.ts';
import { describeSuccess, REASONS, WebhookState } from './webhook-state.tsx';

const route = getRouteApi('/session/webhooks/$webhookId');
const toPath = ({ _id: id }: Webhook) => ({ params: { path: { id } } });

export function WebhookPage(): ReactNode {
  const { webhookId } = route.useParams();
  const list = useQuery(webhooksQuery);
  const webhook = list.data?.find(({ _id }) => _id === webhookId);
  const { mayManage } = useRights();
  return (
    <Page
      title="Webhook"
      lead={webhook?.url}
      actions={webhook && mayManage && <Actions webhook={webhook} />}
    >
      <QueryView query={list}>
        {() => (webhook ? <Details webhook={webhook} /> : <Gone />)}
      </QueryView>
    </Page>
  );
}

const Gone = (): ReactNode => (
  <Empty icon="webhooks" title="There is no such webhook">
    It may have been removed.
  </Empty>
);

function Details({ webhook }: { webhook: Webhook }): ReactNode {
  const { events, type, description } = webhook;
  return (
    <Stack gap="md">
      {webhook.switchedOffAt !== null && <SwitchedOff webhook={webhook} />}
      <Section title="Where events go">
        <Facts
          items={[
            ['State', <WebhookState key="state" webhook={webhook} />],
            ['Receiver', describeType(type)],
            ['Events', events.includes('*') ? 'Everything' : events.join(', ')],
            ['Arrived', describeSuccess(webhook)],
            ['Note', description || null],
          ]}
        />
      </Section>
      <Deliveries webhook={webhook} />
      {type === 'custom' && (
        <Section
          title="Check the signature"
          lead="The signing secret was shown when the webhook was made."
        >
          <SignatureExample />
        </Section>
      )}
    </Stack>
  );
}

function useActivation(webhook: Webhook) {
  return useChange({
    change: (isActive: boolean) =>
      readData(api.PATCH('/api/v1/webhooks/{id}', { ...toPath(webhook), body: { isActive } })),
    refresh: ['webhooks'],
  });
}

function SwitchedOff({ webhook }: { webhook: Webhook }): ReactNode {
  const { mayManage } = useRights();
  const activate = useActivation(webhook);
  const { switchedOffAt, switchedOffReason } = webhook;
  return (
    <Alert variant="outline" color="red" title="Assay switched it off" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {switchedOffReason && REASONS[switchedOffReason]} Since{' '}
          {switchedOffAt && formatExact(switchedOffAt)} nothing is sent. Mend the receiver, then
          switch it on: it follows what is decided from then on.
        </Text>
        {mayManage && (
          <Button
            size="xs"
            variant="default"
            loading={activate.isPending}
            onClick={() => activate.mutate(true)}
          >
            Switch it on
          </Button>
        )}
        {activate.error && <Problem error={activate.error} />}
      </Stack>
    </Alert>
  );
}

function Actions({ webhook }: { webhook: Webhook }): ReactNode {
  const navigate = useNavigate();
  const [isEdited, setEdited] = useState(false);
  const activate = useActivation(webhook);
  const remove = useChange({
    change: () => readData(api.DELETE('/api/v1/webhooks/{id}', toPath(webhook))),
    note: 'The webhook is removed',
    onDone: () => void navigate({ to: '/webhooks' }),
    refresh: ['webhooks'],
  });
  return (
    <Group gap="xs">
      <TestButton webhook={webhook} />
      {webhook.isActive ? (
        <ConfirmButton
          label="Switch off"
          title="Switch the webhook off?"
          mutation={activate}
          onConfirm={() => activate.mutateAsync(false)}
          isDangerous
        >
          Nothing is sent while it is off, and what happens then is never sent.
        </ConfirmButton>
      ) : (
        <Button
          variant="default"
          size="xs"
          loading={activate.isPending}
          onClick={() => activate.mutate(true)}
        >
          Switch on
        </Button>
      )}
      <Button variant="default" size="xs" onClick={() => setEdited(true)}>
        Edit
      </Button>
      <ConfirmButton
        label="Remove"
        title="Remove the webhook?"
        mutation={remove}
        onConfirm={() => remove.mutateAsync()}
        isDangerous
      >
        What waits for delivery is not sent, and the delivery log is deleted.
      </ConfirmButton>
      <WebhookDialog isOpen={isEdited} webhook={webhook} onClose={() => setEdited(false)} />
    </Group>
  );
}

/** Sends a test; a receiver that failed is no failure of the service. */
async function sendTest(webhook: Webhook): Promise<string> {
  const answer = await readEnvelope(api.POST('/api/v1/webhooks/{id}/test', toPath(webhook)));
  if (!answer.success) return answer.error;
  const { statusCode, durationMs } = answer.data;
  return `The receiver answered ${statusCode} after ${durationMs} ms`;
}

function TestButton({ webhook }: { webhook: Webhook }): ReactNode {
  const test = useChange({
    change: () => sendTest(webhook),
    refresh: ['deliveries', 'webhooks'],
    onDone: showNote,
  });
  return (
    <>
      <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      {test.error && <Problem error={test.error} />}
    </>
  );
}
