// Charts, loaded by the pages that show them: the library is larger than all other pages.
import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';

const LazyBars = lazy(async () => ({ default: (await import('./bars.tsx')).Bars }));
const LazyLine = lazy(async () => ({
  default: (await import('./line-of-scores.tsx')).LineOfScores,
}));

const LazyBurnDown = lazy(async () => ({ default: (await import('./burn-down.tsx')).BurnDown }));

const Waiting = ({ height }: { height: number }): ReactNode => (
  <Skeleton h={height} animate={false} />
);

export function Bars(props: ComponentProps<typeof LazyBars>): ReactNode {
  return (
    <Suspense fallback={<Waiting height={props.height ?? 200} />}>
      <LazyBars {...props} />
    </Suspense>
  );
}

export function LineOfScores(props: ComponentProps<typeof LazyLine>): ReactNode {
  return (
    <Suspense fallback={<Waiting height={200} />}>
      <LazyLine {...props} />
    </Suspense>
  );
}

export function BurnDown(props: ComponentProps<typeof LazyBurnDown>): ReactNode {
  return (
    <Suspense fallback={<Waiting height={220} />}>
      <LazyBurnDown {...props} />
    </Suspense>
  );
}
