// The compiled policies of a workspace, as ingestion evaluates them, in either arm of a canary; a digest resolves to the revisions it was made of.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../composition/platform.ts';
import { type Awaitable, whenKnown } from '../../domain/awaitable.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import {
  compilePolicies,
  type PolicyCache,
  type PolicySet,
} from '../../domain/policies/compile.ts';
import { armOf } from '../../domain/policies/changes/canary.ts';
import type { Arm } from '../../domain/policies/changes/sequential-test.ts';
import { AppError } from '../../errors.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { JUDGING, policiesIn } from './canary/policy-arms.ts';
import type { PolicyDocument, PolicySetDocument } from './policies.model.ts';

/** What judges in a workspace. */
interface JudgingSets {
  /** All decisions, or those that a canary leaves. */
  control: PolicySet;
  canary: { id: string; share: number; set: PolicySet } | null;
}

const CACHED_SETS = 2000;
const CACHED_WORKSPACES = 500;

export function createPolicySetService({ models, caches }: Pick<Platform, 'models' | 'caches'>) {
  const sets = caches.open<JudgingSets>({ collections: ['policies'], max: CACHED_SETS });
  /** Compiled policies by workspace, so that a change recompiles one policy and not the workspace. */
  const compiled = new LRUCache<string, PolicyCache>({ max: CACHED_WORKSPACES });

  function compiledOf(workspaceId: string): PolicyCache {
    let known = compiled.get(workspaceId);
    if (!known) compiled.set(workspaceId, (known = new Map()));
    return known;
  }

  /** Puts a set on record. Only what judges in the control is kept compiled: canaries come and go. */
  async function compiledIn(
    arm: Arm,
    { organizationId, workspaceId }: { organizationId: string; workspaceId: string },
    policies: readonly PolicyDocument[],
  ): Promise<PolicySet> {
    const cache = arm === 'control' ? compiledOf(workspaceId) : new Map();
    const set = compilePolicies(policiesIn(arm, policies), cache);
    const { digest, members } = set;
    await models.policySets.updateOne(
      { organizationId, digest },
      { $setOnInsert: { members } },
      { upsert: true },
    );
    return set;
  }

  async function load(organizationId: string, workspaceId: string): Promise<JudgingSets> {
    const policies = await models.policies
      .find({ organizationId, workspaceId, ...JUDGING })
      .lean<PolicyDocument[]>();
    const place = { organizationId, workspaceId };
    const control = await compiledIn('control', place, policies);
    const tried = policies.find(({ canary }) => canary)?.canary;
    if (!tried) return { control, canary: null };
    const set = await compiledIn('canary', place, policies);
    return { control, canary: { id: tried.id.toHexString(), share: tried.share, set } };
  }

  return {
    /** The policies of the workspace that judge this decision. Their digest is on record before this answers. */
    of(organizationId: string, workspaceId: string, traceId: string): Awaitable<PolicySet> {
      const judging = sets.get(`${organizationId}/${workspaceId}`, async () => ({
        organizationId,
        value: await load(organizationId, workspaceId),
      }));
      return whenKnown(judging, (found) => {
        if (!found) throw new AppError('INTERNAL_ERROR');
        const { control, canary } = found;
        return canary && armOf(canary, traceId) === 'canary' ? canary.set : control;
      });
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
