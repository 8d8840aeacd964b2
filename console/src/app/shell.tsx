// The frame of a session: side bar, search box, colour scheme, account, and the page in the middle.
import { AppShell, Anchor, Burger, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Icon } from '../parts/icons.tsx';
import { PageLink } from '../parts/links.tsx';
import { useRights } from '../session/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { ColourSchemeSwitch } from './colour-scheme-switch.tsx';
import { KeepDialog } from '../session/keep-dialog.tsx';
import { Logo } from './logo.tsx';
import { NotificationLink } from './notification-link.tsx';
import { sections } from './navigation.ts';
import { listenForEnd } from './queries.ts';
import { Search } from './search/search-button.tsx';

/** Leads to the sign-in page when the session ends elsewhere, and back to this page after it. */
function useEndOfSession(): void {
  const router = useRouter();
  useEffect(
    () =>
      listenForEnd(() => {
        const { pathname, searchStr } = router.state.location;
        const next = encodeURIComponent(`${pathname}${searchStr}`);
        location.assign(`/console/sign-in?ended=1&next=${next}`);
      }),
    [router],
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }): ReactNode {
  const rights = useRights();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  return sections.map(({ label, destinations }) => (
    <div key={label}>
      <Text size="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
        {label}
      </Text>
      {destinations
        .filter(({ isFor }) => isFor?.(rights) ?? true)
        .map(({ to, label: name, icon }) => {
          const base = to.replace(/\/\{.*/, '');
          const isHere = path === base || path.startsWith(`${base}/`);
          return (
            <PageLink
              key={to}
              to={to}
              label={name}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
              leftSection={<Icon name={icon} />}
              onClick={onNavigate}
              className="nav-link"
            />
          );
        })}
    </div>
  ));
}

export function Shell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { isOwner } = useRights();
  useEndOfSession();
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <Anchor href="#main" className="skip-link">
        Skip to the page
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="sm" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <Logo />
          <Search />
          <NotificationLink />
          <ColourSchemeSwitch />
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Pages">
        <ScrollArea px={6} pb="md">
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      {isOwner && <KeepDialog />}
    </AppShell>
  );
}
