// Cached active settings of organisations, such as webhooks and rules, so that decisions need no query for them.
import { type Feature, type Plan, listFeaturePlans } from '../../domain/identity/plans.ts';
import type { Caches } from './caches.ts';

export interface ActiveSettings<T> {
  loadSettings(organizationId: string): Promise<T[]>;
  /** Drops the cached settings after the commit; call it with every change. */
  invalidate(organizationId: string): void;
}

interface Source<T> {
  collection: string;
  feature: Feature;
  /** Reads the active settings of an organisation. */
  load: (organizationId: string) => Promise<T[]>;
}

/** Opens the settings of one collection. A plan without the feature has none. */
export type OpenActiveSettings = <T extends object>(source: Source<T>) => ActiveSettings<T>;

interface Deps {
  caches: Caches;
  onCommit: (run: () => void) => void;
  /** Null: no such organisation. */
  loadPlan: (organizationId: string) => Promise<Plan | null>;
}

const CACHED_ORGANIZATIONS = 10_000;

export function createActiveSettings({ caches, onCommit, loadPlan }: Deps): OpenActiveSettings {
  return ({ collection, feature, load }) => {
    const plans = listFeaturePlans(feature);
    const active = caches.openCache<Awaited<ReturnType<typeof load>>>({
      collections: [collection, 'organizations'],
      max: CACHED_ORGANIZATIONS,
    });
    return {
      async loadSettings(organizationId) {
        const found = await active.get(organizationId, async () => {
          const plan = await loadPlan(organizationId);
          const value = plan && plans.includes(plan) ? await load(organizationId) : [];
          return { organizationId, value };
        });
        return found ?? [];
      },

      invalidate(organizationId) {
        onCommit(() => active.invalidate(organizationId));
      },
    };
  };
}
