// The account: who is signed in where and as what, other organisations, signing out.
import { ActionIcon, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, readData, setWorkspace } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { finishWork } from '../../session/before-leaving.ts';
import { endSession } from '../../session/session-end.ts';
import { keepSession, useSession, useSignOut } from '../../session/session.ts';
import classes from './account-menu.module.css';

async function enterOrganization(organizationId: string): Promise<void> {
  await finishWork();
  const body = { organizationId };
  const { token } = await readData(api.POST('/api/v1/auth/switch-org', { body }));
  setWorkspace(null);
  await keepSession(token);
  // Everything on screen belongs to the former organisation.
  location.assign('/console/live');
}

function OtherOrganizations(): ReactNode {
  const { data = [] } = useQuery({
    queryKey: ['organizations'],
    queryFn: () => readData(api.GET('/api/v1/auth/me/orgs')),
  });
  const others = data.filter(({ isCurrent }) => !isCurrent);
  if (others.length === 0) return null;
  return (
    <div className={classes.part}>
      <Text size="xs" c="dimmed" className={classes.label}>
        Switch to
      </Text>
      {others.map(({ organizationId, name }) => (
        <button
          key={organizationId}
          type="button"
          className={classes.item}
          onClick={() => void enterOrganization(organizationId)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

export function AccountMenu(): ReactNode {
  const { user, organization, role } = useSession();
  const signOut = useSignOut();
  const menu = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Account"
        {...{ popoverTarget: menu }}
      >
        <Icon name="user" size={18} />
      </ActionIcon>
      <div
        id={menu}
        popover="auto"
        className={classes.menu}
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        <div className={classes.who}>
          <Text size="sm" fw={600}>
            {user.name}
          </Text>
          <Text size="xs" c="dimmed" className="clamp">
            {user.email}
          </Text>
          <Text size="xs" c="dimmed" className="clamp">
            {organization.name} · {role}
          </Text>
        </div>
        {isOpen && <OtherOrganizations />}
        <div className={classes.part}>
          <a href="/docs" className={classes.item}>
            <Icon name="external" />
            API reference
          </a>
          <button type="button" className={classes.item} onClick={() => void endSession(signOut)}>
            <Icon name="signOut" />
            Sign out
          </button>
        </div>
      </div>
    </>
  );
}
