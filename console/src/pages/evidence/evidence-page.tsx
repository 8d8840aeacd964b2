// Evidence: what outsiders can check of this organisation, and what it takes to check it.
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { ButtonLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { RouteTabs } from '../../parts/layout/route-tabs.tsx';
import { Loading } from '../../parts/states.tsx';
import { useRights } from '../../session/session.ts';
import type { EvidencePart } from './evidence.route.ts';

const route = getRouteApi('/session/evidence');

const TABS: readonly { value: EvidencePart; label: string }[] = [
  { value: 'chain', label: 'Chain' },
  { value: 'log', label: 'Log and witnesses' },
  { value: 'bundles', label: 'Audit bundles' },
  { value: 'audit', label: 'Audit log' },
  { value: 'erasures', label: 'Erasures' },
  { value: 'manifests', label: 'Manifests' },
];
const VIEWS: Readonly<Record<EvidencePart, ComponentType>> = {
  chain: lazy(async () => ({ default: (await import('./chain-part.tsx')).ChainPart })),
  log: lazy(async () => ({ default: (await import('./log-part.tsx')).LogPart })),
  bundles: lazy(async () => ({ default: (await import('./audit-bundles.tsx')).AuditBundles })),
  audit: lazy(async () => ({ default: (await import('./audit-log.tsx')).AuditLog })),
  erasures: lazy(async () => ({ default: (await import('./erasures.tsx')).Erasures })),
  manifests: lazy(async () => ({ default: (await import('./manifests.tsx')).Manifests })),
};

export function EvidencePage(): ReactNode {
  const { isReader, mayManage } = useRights();
  const { part = isReader ? 'chain' : 'bundles' } = route.useSearch();
  const navigate = route.useNavigate();
  const View = VIEWS[part];
  return (
    <Page
      title="Evidence"
      lead="Every decision and verdict is an entry of a chain. Others can check it without trusting us."
      actions={
        <ButtonLink to="/verify" variant="default" size="xs">
          Verify a bundle offline
        </ButtonLink>
      }
    >
      <RouteTabs
        label="Parts of the evidence"
        value={part}
        tabs={TABS.filter(({ value }) =>
          value === 'audit' ? mayManage : isReader || value === 'bundles',
        )}
        onChange={(value) => void navigate({ search: { part: value } })}
      >
        <Suspense fallback={<Loading />}>
          <View />
        </Suspense>
      </RouteTabs>
    </Page>
  );
}
