// The way to the search box (mod+K): the box itself is loaded when it is first asked for.
import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useCommandKey, useSingleKeys } from '../../parts/keys/single-keys.ts';
import { Icon } from '../../parts/icons.tsx';

const SearchBox = lazy(async () => ({ default: (await import('./search-box.tsx')).SearchBox }));

function SearchButton({ onClick }: { onClick: () => void }): ReactNode {
  const os = useOs();
  const isApple = os === 'macos' || os === 'ios';
  return (
    <>
      <Button
        variant="default"
        size="xs"
        ml="auto"
        visibleFrom="sm"
        onClick={onClick}
        leftSection={<Icon name="search" size={14} />}
        rightSection={<Kbd size="xs">{isApple ? '⌘K' : 'Ctrl K'}</Kbd>}
      >
        Search
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        ml="auto"
        hiddenFrom="sm"
        aria-label="Search"
        onClick={onClick}
      >
        <Icon name="search" size={18} />
      </ActionIcon>
    </>
  );
}

export function Search(): ReactNode {
  const [asked, setAsked] = useState(0);
  const openBox = (): void => setAsked((times) => times + 1);
  useSingleKeys({ '/': openBox });
  useCommandKey('k', openBox);
  return (
    <>
      <SearchButton onClick={openBox} />
      {asked > 0 && (
        <Suspense>
          <SearchBox asked={asked} />
        </Suspense>
      )}
    </>
  );
}
