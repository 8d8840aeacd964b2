// The compiled policies of a workspace, as ingestion evaluates them; a digest resolves to the revisions it was made of.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import {
  compilePolicies,
  type PolicyCache,
  type PolicySet,
} from '../../domain/policies/compile.ts';
import { AppError } from '../../errors.ts';
import type { PolicyDocument, PolicySetDocument } from './policies.model.ts';

const CACHED_SETS = 2000;

type Deps = Pick<Platform, 'models' | 'caches'>;

const WORKSPACES_KEPT = 500;

export function createPolicySetService({ models, caches }: Deps) {
  const sets = caches.open<PolicySet>({ collections: ['policies'], max: CACHED_SETS });
  /** What was compiled before, so that a change recompiles one policy and not the workspace. */
  const compiled = new LRUCache<string, PolicyCache>({ max: WORKSPACES_KEPT });

  function compiledOf(workspaceId: string): PolicyCache {
    let known = compiled.get(workspaceId);
    if (!known) compiled.set(workspaceId, (known = new Map()));
    return known;
  }

  async function load(organizationId: string, workspaceId: string): Promise<PolicySet> {
    const policies = await models.policies
      .find({ organizationId, workspaceId, deletedAt: null, enabled: true })
      .lean<PolicyDocument[]>();
    const definitions = policies.map(
      ({ _id, revision, name, description, priority, conditions, actions }) => ({
        id: _id.toHexString(),
        revision,
        name,
        description,
        priority,
        conditions,
        actions,
      }),
    );
    const set = compilePolicies(definitions, compiledOf(workspaceId));
    const { digest, members } = set;
    await models.policySets.updateOne(
      { organizationId, digest },
      { $setOnInsert: { members } },
      { upsert: true },
    );
    return set;
  }

  return {
    /** The enabled policies of the workspace. Their digest is on record before this answers. */
    async of(organizationId: string, workspaceId: string): Promise<PolicySet> {
      const set = await sets.get(`${organizationId}/${workspaceId}`, async () => ({
        organizationId,
        value: await load(organizationId, workspaceId),
      }));
      if (!set) throw new AppError('INTERNAL_ERROR');
      return set;
    },

    invalidate: (organizationId: string) => sets.invalidate(organizationId),

    /** The revisions behind a digest that some decision names. @throws AppError `NOT_FOUND` */
    async resolve({ organizationId }: Tenant, digest: string) {
      const found = await models.policySets
        .findOne({ organizationId, digest })
        .lean<PolicySetDocument>();
      if (!found) throw new AppError('NOT_FOUND');
      return found;
    },
  };
}
export type PolicySetService = ReturnType<typeof createPolicySetService>;
