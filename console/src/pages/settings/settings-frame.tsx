// The frame of the settings: title and tabs; what a role may not see has no tab.
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PageTab, PageTabs } from '../../parts/layout/page-tabs.tsx';
import { Page } from '../../parts/page.tsx';
import { type Rights, useRights } from '../../session/session.ts';

interface SettingsTab extends PageTab {
  isFor?: (rights: Rights) => boolean;
}

const isReader = (rights: Rights): boolean => rights.isReader;
const isManager = ({ mayManage }: Rights): boolean => mayManage;

const TABS: readonly SettingsTab[] = [
  { to: '/settings/profile', label: 'Profile' },
  { to: '/settings/security', label: 'Security' },
  { to: '/settings/notifications', label: 'Notifications' },
  { to: '/settings/members', label: 'Members', isFor: isReader },
  { to: '/settings/workspaces', label: 'Workspaces', isFor: isReader },
  { to: '/settings/keys', label: 'API keys', isFor: isManager },
  { to: '/settings/sign-on', label: 'Sign-on', isFor: isManager },
  { to: '/settings/organization', label: 'Organisation', isFor: isReader },
];

interface Props {
  title: string;
  lead: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function SettingsFrame({ title, lead, actions, children }: Props): ReactNode {
  const rights = useRights();
  return (
    <Page title={title} lead={lead} actions={actions}>
      <PageTabs label="Settings" tabs={TABS.filter(({ isFor }) => isFor?.(rights) ?? true)} />
      <Stack gap="md">{children}</Stack>
    </Page>
  );
}
