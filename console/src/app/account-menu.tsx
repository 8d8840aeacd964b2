// The account: who is signed in where and as what, other organisations, signing out.
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, readData } from '../api/client.ts';
import { Icon } from '../parts/icons.tsx';
import { keepSession, useSession, useSignOut } from '../session/session.ts';

async function enterOrganization(organizationId: string): Promise<void> {
  const body = { organizationId };
  const { token } = await readData(api.POST('/api/v1/auth/switch-org', { body }));
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
    <>
      <Menu.Divider />
      <Menu.Label>Switch to</Menu.Label>
      {others.map(({ organizationId, name }) => (
        <Menu.Item key={organizationId} onClick={() => void enterOrganization(organizationId)}>
          {name}
        </Menu.Item>
      ))}
    </>
  );
}

export function AccountMenu(): ReactNode {
  const { user, organization, role } = useSession();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
          <Icon name="user" size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {user.name}
          </Text>
          <Text size="xs" className="clamp">
            {user.email}
          </Text>
          <Text size="xs" className="clamp">
            {organization.name} · {role}
          </Text>
        </Menu.Label>
        <OtherOrganizations />
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="external" />}>
          API reference
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="signOut" />}
          onClick={() => void signOut().then(() => location.assign('/console/sign-in'))}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
