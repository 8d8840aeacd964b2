// The notices of the signed-in person, each with the page that it is about.
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { ConfirmButton } from '../../parts/forms/confirm-button.tsx';
import { useChange } from '../../parts/forms/use-change.ts';
import { createPagedQuery, ShowMore } from '../../parts/lists/paged-list.tsx';
import { ButtonLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, QueryView } from '../../parts/states.tsx';
import { markInvisible } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { useRights } from '../../session/session.ts';
import { BroadcastButton } from './broadcast-button.tsx';

type Notification = components['schemas']['Notification'];

const listQuery = createPagedQuery<Notification>(['notifications', 'list'], (page, signal) => {
  const query = { page, limit: 50 };
  return readEnvelope(api.GET('/api/v1/notifications', { params: { query }, signal }));
});
const refresh = ['notifications'];

export function NotificationsPage(): ReactNode {
  const list = useInfiniteQuery(listQuery);
  const { mayManage } = useRights();
  const readAll = useChange({
    change: () => readData(api.PATCH('/api/v1/notifications/read-all')),
    refresh,
  });
  const clear = useChange({
    change: () => readData(api.DELETE('/api/v1/notifications')),
    refresh,
  });
  return (
    <Page
      title="Notifications"
      lead="What waits for you, and what happened."
      actions={
        <>
          {mayManage && <BroadcastButton />}
          <ButtonLink to="/settings/notifications" variant="default" size="xs">
            What reaches you
          </ButtonLink>
          {(list.data?.length ?? 0) > 0 && (
            <>
              <Button
                variant="default"
                size="xs"
                loading={readAll.isPending}
                onClick={() => readAll.mutate()}
              >
                Mark all as read
              </Button>
              <ConfirmButton
                label="Delete all"
                title="Delete all notifications?"
                mutation={clear}
                onConfirm={() => clear.mutateAsync()}
                isDangerous
              >
                They are yours alone; what they are about stays.
              </ConfirmButton>
            </>
          )}
        </>
      }
    >
      <QueryView query={list}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="alerts" title="Nothing new">
              Held decisions, deadlines and messages of your organisation appear here.
            </Empty>
          ) : (
            <Stack gap="xs">
              {found.map((notification) => (
                <Notice key={notification._id} notification={notification} />
              ))}
              <ShowMore list={list} />
            </Stack>
          )
        }
      </QueryView>
    </Page>
  );
}

function Notice({ notification }: { notification: Notification }): ReactNode {
  const { _id: id, title, body, isRead, link, createdAt } = notification;
  const router = useRouter();
  const markRead = useChange({
    change: () =>
      readData(api.PATCH('/api/v1/notifications/{id}/read', { params: { path: { id } } })),
    refresh,
  });
  function follow(event: MouseEvent): void {
    if (!isRead) markRead.mutate();
    if (!link?.startsWith('/console/') || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    void router.navigate({ href: link.slice('/console'.length) });
  }
  return (
    <Paper p="sm" bg={isRead ? undefined : 'var(--assay-selected)'}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className="stored-text">
          {link?.startsWith('/console/') ? (
            <Anchor href={link} size="sm" fw={isRead ? 400 : 600} onClick={follow}>
              {markInvisible(title)}
            </Anchor>
          ) : (
            <Text size="sm" fw={isRead ? 400 : 600}>
              {markInvisible(title)}
            </Text>
          )}
          {body !== null && <Text size="sm">{markInvisible(body)}</Text>}
        </div>
        <Ago at={createdAt} />
      </Group>
    </Paper>
  );
}
