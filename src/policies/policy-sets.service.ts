// Compiles and caches the policies that judge a decision, in both arms of a canary, and resolves digests of sets.
import { LRUCache } from 'lru-cache';
import {
  compilePolicies,
  type PolicyCache,
  type PolicyDefinition,
  type PolicySet,
  toCacheKey,
  compilePolicy,
} from '@assay/policy';
import type { Context } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { PeriodicYield } from '../platform/concurrency/event-loop.ts';
import { drawArm } from '../domain/policies/changes/canary.ts';
import type { Arm } from '../domain/policies/changes/sequential-test.ts';
import { AppError } from '../errors.ts';
import { findOr404 } from '../platform/mongo/queries.ts';
import { perInstance } from '../platform/per-instance.ts';
import { JUDGING, type JudgingPolicy, selectArmPolicies } from './canary/policy-arms.ts';
import {
  findCurrentLists,
  selectListsOf,
  toListRefs,
  withLists,
} from './lists/list-contents.service.ts';
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

const openCaches = perInstance(({ caches }) => ({
  sets: caches.openCache<ActivePolicySets>({
    collections: ['policies', 'policy_lists'],
    max: CACHED_SETS,
  }),
  /** Compiled policies by workspace, so that a change recompiles one policy and not the workspace. */
  compiled: new LRUCache<string, PolicyCache>({ max: CACHED_WORKSPACES }),
}));

/** Returns the policies that judge this decision. Their digest is stored before this resolves. */
export async function loadPolicySet(
  platform: Platform,
  { organizationId, workspaces }: { organizationId: string; workspaces: DecisionWorkspaces },
  traceId: string,
): Promise<PolicySet> {
  const key = `${organizationId}/${toWorkspaceKey(workspaces)}`;
  const found = await openCaches(platform).sets.get(key, async () => ({
    organizationId,
    value: await loadSets(platform, organizationId, workspaces),
  }));
  if (!found) throw new AppError('INTERNAL_ERROR');
  const { control, canary } = found;
  return canary && drawArm(canary, traceId) === 'canary' ? canary.set : control;
}

export function invalidatePolicySets(platform: Platform, organizationId: string): void {
  openCaches(platform).sets.invalidate(organizationId);
}

/** The revisions behind a digest that some decision names. @throws AppError `NOT_FOUND` */
export function resolvePolicySet(
  { platform, tenant: { organizationId } }: Context,
  digest: string,
): Promise<PolicySetDocument> {
  const where = { organizationId, digest };
  return findOr404(platform.models.policySets.findOne(where).lean<PolicySetDocument>());
}

async function loadSets(
  platform: Platform,
  organizationId: string,
  workspaces: DecisionWorkspaces,
): Promise<ActivePolicySets> {
  const workspaceIds = typeof workspaces === 'string' ? [workspaces] : workspaces;
  const policies = await platform.models.policies
    .find({ organizationId, workspaceId: { $in: workspaceIds }, ...JUDGING })
    .lean<PolicyDocument[]>();
  const { canaryOnTrial, listJudging } = splitArms(policies, workspaceIds[0] ?? '');
  const control = await compileSet(
    platform,
    { organizationId, policies: listJudging('control') },
    openCompiledCache(platform, toWorkspaceKey(workspaces)),
  );
  if (!canaryOnTrial) return { control, canary: null };
  // Canaries are short-lived: what they judge by does not stay compiled.
  const set = await compileSet(
    platform,
    { organizationId, policies: listJudging('canary') },
    new Map(),
  );
  const { id, share } = canaryOnTrial;
  return { control, canary: { id: id.toHexString(), share, set } };
}

function openCompiledCache(platform: Platform, place: string): PolicyCache {
  const { compiled } = openCaches(platform);
  let cached = compiled.get(place);
  if (!cached) compiled.set(place, (cached = new Map()));
  return cached;
}

/** Compiles a set and stores its digest. */
async function compileSet(
  platform: Platform,
  { organizationId, policies }: { organizationId: string; policies: readonly JudgingPolicy[] },
  cache: PolicyCache,
): Promise<PolicySet> {
  const definitions = await loadDefinitions(platform, organizationId, policies);
  await compileAhead(definitions, cache);
  const set = compilePolicies(definitions, cache);
  const { digest } = set;
  const members = set.members.map(({ lists, ...member }) =>
    lists ? { ...member, lists: toListRefs(lists) } : member,
  );
  await platform.models.policySets.updateOne(
    { organizationId, digest },
    { $setOnInsert: { members } },
    { upsert: true },
  );
  return set;
}

/** The policies with the lists that they name, as they are now. */
async function loadDefinitions(
  { models }: Platform,
  organizationId: string,
  policies: readonly JudgingPolicy[],
): Promise<PolicyDefinition[]> {
  const lists = await findCurrentLists(models, organizationId, policies);
  const named = policies.map(({ workspaceId, ...policy }) => ({
    policy,
    lists: selectListsOf(lists, workspaceId),
  }));
  return withLists(models, organizationId, named);
}

/** Compiles what is not in the cache, with rests for other requests: a workspace may have megabytes of policies. */
async function compileAhead(
  policies: readonly PolicyDefinition[],
  cache: PolicyCache,
): Promise<void> {
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
