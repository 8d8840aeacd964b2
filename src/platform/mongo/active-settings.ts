// What an organisation has switched on and its plan includes, read through a cache, so that a decision that nothing waits for costs nothing.
import { type Feature, type Plan, plansWith } from '../../domain/identity/plans.ts';
import type { Caches } from './caches.ts';

export interface ActiveSettings<T> {
  of(organizationId: string): Promise<T[]>;
  /** Call it with every change; it holds from the commit on. */
  changed(organizationId: string): void;
}

interface Source<T> {
  collection: string;
  feature: Feature;
  /** Those of an organisation that are switched on. */
  load: (organizationId: string) => Promise<T[]>;
}

/** Opens the settings of one collection. A plan without the feature has none. */
export type OpenActiveSettings = <T extends object>(source: Source<T>) => ActiveSettings<T>;

interface Deps {
  caches: Caches;
  onCommit: (run: () => void) => void;
  /** Null: no such organisation. */
  planOf: (organizationId: string) => Promise<Plan | null>;
}

const CACHED_ORGANIZATIONS = 10_000;

export function createActiveSettings({ caches, onCommit, planOf }: Deps): OpenActiveSettings {
  return ({ collection, feature, load }) => {
    const plans = plansWith(feature);
    const active = caches.open<Awaited<ReturnType<typeof load>>>({
      collections: [collection, 'organizations'],
      max: CACHED_ORGANIZATIONS,
    });
    return {
      async of(organizationId) {
        const found = await active.get(organizationId, async () => {
          const plan = await planOf(organizationId);
          const value = plan && plans.includes(plan) ? await load(organizationId) : [];
          return { organizationId, value };
        });
        return found ?? [];
      },

      changed(organizationId) {
        onCommit(() => active.invalidate(organizationId));
      },
    };
  };
}
