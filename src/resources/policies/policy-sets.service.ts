// The compiled policies that judge a decision, as ingestion evaluates them, in either arm of a canary; a digest resolves to the revisions it was made of.
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
import { JUDGING, type JudgingPolicy, policiesIn } from './canary/policy-arms.ts';
import type { PolicyDocument, PolicySetDocument } from './policies.model.ts';

/** What judges in a workspace. */
interface JudgingSets {
  /** All decisions, or those that a canary leaves. */
  control: PolicySet;
  canary: { id: string; share: number; set: PolicySet } | null;
}

/** The workspace of a decision; before another one, whose policies judge it as well. */
export type JudgedIn = string | readonly [string, string];

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
    { organizationId, place }: { organizationId: string; place: string },
    policies: readonly JudgingPolicy[],
  ): Promise<PolicySet> {
    const cache = arm === 'control' ? compiledOf(place) : new Map();
    const set = compilePolicies(policies, cache);
    const { digest, members } = set;
    await models.policySets.updateOne(
      { organizationId, digest },
      { $setOnInsert: { members } },
      { upsert: true },
    );
    return set;
  }

  async function load(organizationId: string, judgedIn: JudgedIn): Promise<JudgingSets> {
    const workspaceIds = typeof judgedIn === 'string' ? [judgedIn] : judgedIn;
    const policies = await models.policies
      .find({ organizationId, workspaceId: { $in: workspaceIds }, ...JUDGING })
      .lean<PolicyDocument[]>();
    const { tried, judging } = armsOf(policies, workspaceIds[0] ?? '');
    const place = { organizationId, place: placeOf(judgedIn) };
    const control = await compiledIn('control', place, judging('control'));
    if (!tried) return { control, canary: null };
    const set = await compiledIn('canary', place, judging('canary'));
    return { control, canary: { id: tried.id.toHexString(), share: tried.share, set } };
  }

  return {
    /** The policies that judge this decision. Their digest is on record before this answers. */
    of(organizationId: string, judgedIn: JudgedIn, traceId: string): Awaitable<PolicySet> {
      const judging = sets.get(`${organizationId}/${placeOf(judgedIn)}`, async () => ({
        organizationId,
        value: await load(organizationId, judgedIn),
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

function placeOf(judgedIn: JudgedIn): string {
  return typeof judgedIn === 'string' ? judgedIn : judgedIn.join('+');
}

/** Canaries are those of the workspace that the decision goes to. */
function armsOf(policies: readonly PolicyDocument[], workspaceId: string) {
  const isOwn = (policy: PolicyDocument): boolean => policy.workspaceId.equals(workspaceId);
  const own = policies.filter(isOwn);
  const besides = policiesIn(
    'control',
    policies.filter((policy) => !isOwn(policy)),
  );
  const judging = (arm: Arm): JudgingPolicy[] => [...policiesIn(arm, own), ...besides];
  return { tried: own.find(({ canary }) => canary)?.canary, judging };
}
