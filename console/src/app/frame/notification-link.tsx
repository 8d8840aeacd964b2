// The bell: leads to the notices, and says how many are not read.
import { ActionIcon, Indicator } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { api, readEnvelope } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';

const AnchorIcon = (props: ComponentProps<'a'>): ReactNode => (
  <ActionIcon component="a" variant="subtle" color="gray" size="lg" {...(props as object)} />
);
const IconLink = createLink(AnchorIcon);

const unreadQuery = {
  queryKey: ['notifications', 'unread'],
  async queryFn(): Promise<number> {
    const query = { unreadOnly: 'true', limit: 1 } as const;
    const { unreadCount } = await readEnvelope(
      api.GET('/api/v1/notifications', { params: { query } }),
    );
    return unreadCount ?? 0;
  },
  refetchInterval: 60_000,
};

export function NotificationLink(): ReactNode {
  const { data: unread = 0 } = useQuery(unreadQuery);
  return (
    <Indicator
      disabled={unread === 0}
      label={unread > 99 ? '99+' : unread}
      size={16}
      offset={6}
      color="accent"
    >
      <IconLink
        to="/notifications"
        aria-label={unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`}
      >
        <Icon name="alerts" size={18} />
      </IconLink>
    </Indicator>
  );
}
