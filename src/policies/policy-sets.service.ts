// Compiles and caches the policies that judge a decision, in both arms of a canary, and resolves digests of sets.
import { LRUCache } from 'lru-cache';
import {
  compilePolicies,
  type PolicyCache,
  type PolicySet,
  toCacheKey,
  compilePolicy,
} from '@assay/policy';
import type { Platform } from '../platform/platform.ts';
import type { Tenant } from '../domain/identity/tenant.ts';
import { PeriodicYield } from '../platform/concurrency/event-loop.ts';
import { drawArm } from '../domain/policies/changes/canary.ts';
import type { Arm } from '../domain/policies/changes/sequential-test.ts';
import { AppError } from '../errors.ts';
import { findOr404 } from '../platform/mongo/queries.ts';
import { JUDGING, type JudgingPolicy, selectArmPolicies } from './canary/policy-arms.ts';
import type { PolicyDocument, PolicySetDocument } from './policies.model.ts';

/** The compiled policy sets of a workspace. */
interface ActivePolicySets {
  /** Judges all decisions, or those outside the canary's share. */
  control: PolicySet;
  canary: { id: string; share: number; set: PolicySet } | null;
}

/** The workspace of a decision, or a pair: that workspace and a second one whose policies judge it as well. */
export type DecisionWorkspaces = string | readonly [string, string];

/** Characters of policies compiled between two yields: some milliseconds. */
const COMPILED_CHARACTERS = 20_000;
const CACHED_SETS = 2000;
const CACHED_WORKSPACES = 500;

export function createPolicySetService({ models, caches }: Pick<Platform, 'models' | 'caches'>) {
  const sets = caches.openCache<ActivePolicySets>({ collections: ['policies'], max: CACHED_SETS });
  /** Compiled policies by workspace, so that a change recompiles one policy and not the workspace. */
  const compiled = new LRUCache<string, PolicyCache>({ max: CACHED_WORKSPACES });

  function openCompiledCache(workspaceId: string): PolicyCache {
    let cached = compiled.get(workspaceId);
    if (!cached) compiled.set(workspaceId, (cached = new Map()));
    return cached;
  }

  /** Compiles a set and stores its digest. Only policies of the control stay compiled, for canaries are short-lived. */
  async function compileArm(
    arm: Arm,
    { organizationId, place }: { organizationId: string; place: string },
    policies: readonly JudgingPolicy[],
  ): Promise<PolicySet> {
    const cache = arm === 'control' ? openCompiledCache(place) : new Map();
    await compileAhead(policies, cache);
    const set = compilePolicies(policies, cache);
    const { digest, members } = set;
    await models.policySets.updateOne(
      { organizationId, digest },
      { $setOnInsert: { members } },
      { upsert: true },
    );
    return set;
  }

  async function loadSets(
    organizationId: string,
    workspaces: DecisionWorkspaces,
  ): Promise<ActivePolicySets> {
    const workspaceIds = typeof workspaces === 'string' ? [workspaces] : workspaces;
    const policies = await models.policies
      .find({ organizationId, workspaceId: { $in: workspaceIds }, ...JUDGING })
      .lean<PolicyDocument[]>();
    const { canaryOnTrial, listJudging } = splitArms(policies, workspaceIds[0] ?? '');
    const place = { organizationId, place: toWorkspaceKey(workspaces) };
    const control = await compileArm('control', place, listJudging('control'));
    if (!canaryOnTrial) return { control, canary: null };
    const set = await compileArm('canary', place, listJudging('canary'));
    return {
      control,
      canary: { id: canaryOnTrial.id.toHexString(), share: canaryOnTrial.share, set },
    };
  }

  return {
    /** Returns the policies that judge this decision. Their digest is stored before this resolves. */
    async loadPolicySet(
      organizationId: string,
      workspaces: DecisionWorkspaces,
      traceId: string,
    ): Promise<PolicySet> {
      const found = await sets.get(`${organizationId}/${toWorkspaceKey(workspaces)}`, async () => ({
        organizationId,
        value: await loadSets(organizationId, workspaces),
      }));
      if (!found) throw new AppError('INTERNAL_ERROR');
      const { control, canary } = found;
      return canary && drawArm(canary, traceId) === 'canary' ? canary.set : control;
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

/** Compiles what is not in the cache, with rests for other requests: a workspace may have megabytes of policies. */
async function compileAhead(policies: readonly JudgingPolicy[], cache: PolicyCache): Promise<void> {
  const yielding = new PeriodicYield(COMPILED_CHARACTERS);
  for (const policy of policies) {
    const key = toCacheKey(policy);
    if (cache.has(key)) continue;
    const compiled = compilePolicy(policy);
    cache.set(key, compiled);
    await yielding.addWork(compiled.text.length);
  }
}

function toWorkspaceKey(workspaces: DecisionWorkspaces): string {
  return typeof workspaces === 'string' ? workspaces : workspaces.join('+');
}

/** Only the canary of the decision's own workspace counts. */
function splitArms(policies: readonly PolicyDocument[], workspaceId: string) {
  const isOwn = (policy: PolicyDocument): boolean => policy.workspaceId.equals(workspaceId);
  const own = policies.filter(isOwn);
  const fromOtherWorkspace = selectArmPolicies(
    'control',
    policies.filter((policy) => !isOwn(policy)),
  );
  const listJudging = (arm: Arm): JudgingPolicy[] => [
    ...selectArmPolicies(arm, own),
    ...fromOtherWorkspace,
  ];
  return { canaryOnTrial: own.find(({ canary }) => canary)?.canary, listJudging };
}
