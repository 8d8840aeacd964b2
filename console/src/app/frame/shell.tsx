// The frame of a session: side bar, search box, colour scheme, account, and the page in the middle.
import { Anchor, Burger, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { organizationQuery, waitingQuery } from '../../api/shared-queries.ts';
import { Icon } from '../../parts/icons.tsx';
import { TitleNote } from '../../parts/page.tsx';
import { useRights, useSession } from '../../session/session.ts';
import { reportUnsentVerdicts } from '../../session/unsent.ts';
import { AccountMenu } from './account-menu.tsx';
import { ColourSchemeSwitch } from '../colour-scheme-switch.tsx';
import { Logo } from '../logo.tsx';
import { HaltBand } from './halt-band.tsx';
import { LimitBand } from './limit-band.tsx';
import { NotificationLink } from './notification-link.tsx';
import { FrameKeys } from '../keys/frame-keys.tsx';
import { sections } from '../navigation.ts';
import { listenForEnd } from '../../session/session-end.ts';
import { Search } from '../search/search-button.tsx';
import { StopSwitch } from './stop-switch.tsx';
import { WorkspaceSwitch } from './workspace-switch.tsx';
import classes from './shell.module.css';

const KeepDialog = lazy(async () => ({
  default: (await import('../../session/keep-dialog.tsx')).KeepDialog,
}));

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

const REVIEW = '/review/{-$traceId}';
const MOST_SHOWN = 999;

/** How many decisions wait, beside the page that shows them. */
const Waiting = ({ count }: { count: number }): ReactNode => (
  <span className={`numbers ${classes.count}`}>
    {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
    <VisuallyHidden> waiting</VisuallyHidden>
  </span>
);

interface NavigationProps {
  waiting: number;
  onNavigate: () => void;
}

function Navigation({ waiting, onNavigate }: NavigationProps): ReactNode {
  const rights = useRights();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  return sections.map(({ label, destinations }) => (
    <div key={label}>
      <Text size="xs" c="dimmed" fw={600} px="sm" pt="md" pb={4}>
        {label}
      </Text>
      {destinations
        .filter(({ isFor, isSearched }) => isSearched !== true && (isFor?.(rights) ?? true))
        .map(({ to, label: name, icon }) => {
          const base = to.replace(/\/\{.*/, '');
          const isHere = path === base || path.startsWith(`${base}/`);
          return (
            <Link
              key={to}
              to={to}
              aria-current={isHere ? 'page' : undefined}
              onClick={onNavigate}
              className={classes.link}
            >
              <Icon name={icon} />
              {name}
              {to === REVIEW && waiting > 0 && <Waiting count={waiting} />}
            </Link>
          );
        })}
    </div>
  ));
}

export function Shell(): ReactNode {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { isOwner, isReader } = useRights();
  const { data: waiting = 0 } = useQuery({ ...waitingQuery, enabled: isReader });
  const { data: organization } = useQuery({ ...organizationQuery, enabled: isOwner });
  const isUnproved = (organization?.reclaimedAt ?? null) !== null;
  useEndOfSession();
  const { _id: userId } = useSession().user;
  useEffect(() => void reportUnsentVerdicts(userId), [userId]);
  return (
    <>
      <Anchor href="#main" className="skip-link">
        Skip to the page
      </Anchor>
      <header className={classes.header}>
        <Burger
          opened={isOpen}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
        />
        <Logo />
        <Search />
        <StopSwitch />
        <NotificationLink />
        <ColourSchemeSwitch />
        <AccountMenu />
      </header>
      <FrameKeys />
      <nav aria-label="Pages" className={classes.pages} data-open={isOpen}>
        <WorkspaceSwitch />
        <Navigation waiting={waiting} onNavigate={close} />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <HaltBand />
        <LimitBand />
        <TitleNote value={waiting > 0 ? `(${waiting.toLocaleString('en')}) ` : ''}>
          <Outlet />
        </TitleNote>
      </main>
      {isUnproved && (
        <Suspense>
          <KeepDialog />
        </Suspense>
      )}
    </>
  );
}
