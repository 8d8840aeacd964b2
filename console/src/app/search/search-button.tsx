// The way to the search box (mod+K): the box itself is loaded when it is first asked for.
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useSingleKeys } from '../../parts/keys/single-keys.ts';
import { BarButton } from '../frame/bar-button.tsx';

const SearchBox = lazy(async () => ({ default: (await import('./search-box.tsx')).SearchBox }));

export function Search(): ReactNode {
  const [asked, setAsked] = useState(0);
  const openBox = (): void => setAsked((times) => times + 1);
  useSingleKeys({ '/': openBox }, { '/': 'Search' });
  return (
    <>
      <BarButton label="Search" icon="search" commandKey="k" onPress={openBox} isFirst />
      {asked > 0 && (
        <Suspense>
          <SearchBox asked={asked} />
        </Suspense>
      )}
    </>
  );
}
