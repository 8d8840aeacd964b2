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
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { PolicyDocument, PolicySetDocument } from './policies.model.ts';

const CACHED_SETS = 2000;
const CACHED_WORKSPACES = 500;

export function createPolicySetService({ models, caches }: Pick<Platform, 'models' | 'caches'>) {
  const sets = caches.open<PolicySet>({ collections: ['policies'], max: CACHED_SETS });
  /** Compiled policies by workspace, so that a change recompiles one policy and not the workspace. */
  const compiled = new LRUCache<string, PolicyCache>({ max: CACHED_WORKSPACES });

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

    invalidate(organizationId: string): void {
      sets.invalidate(organizationId);
    },

    /** The revisions behind a digest that some decision names. @throws AppError `NOT_FOUND` */
    resolve({ organizationId }: Tenant, digest: string): Promise<PolicySetDocument> {
      const where = { organizationId, digest };
      return findOr404(models.policySets.findOne(where).lean<PolicySetDocument>());
    },
  };
}
export type PolicySetService = ReturnType<typeof createPolicySetService>;
