// Loads the policies that a replay tries, and those that judged a decision originally.
import { LRUCache } from 'lru-cache';
import { type PolicyDefinition, toCacheKey } from '@assay/policy';
import type { Models } from '../../models.ts';
import { compileTriedSet, type TriedSet } from '../../domain/policies/trials/rejudge.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import { withLists } from '../lists/list-contents.service.ts';
import type { PolicySetDocument } from '../policies.model.ts';
import { loadRevisions, toDefinition } from '../policy-revisions.ts';
import type { PolicyReplayDocument } from './policy-replays.model.ts';

/** The policies that a replay tries, and the workspace whose decisions they judge. */
export interface TriedReplay {
  organizationId: string;
  workspaceId: string;
  set: TriedSet;
}

// Caches of the thread, which serves one instance.
const tried = new LRUCache<string, TriedReplay>({ max: 20 });
const stored = new LRUCache<string, TriedSet>({ max: 20 });
const sets = new LRUCache<string, ReadonlySet<string>>({ max: 100 });

/** The candidate and the others, as they were enabled when the replay began. @throws AppError `NOT_FOUND` */
export async function loadTriedReplay(
  models: Models,
  organizationId: string,
  _id: string,
): Promise<TriedReplay> {
  const cached = tried.get(_id);
  if (cached) return cached;
  const where = { organizationId, _id };
  const replay = await findOr404(models.policyReplays.findOne(where).lean<PolicyReplayDocument>());
  const workspaceId = replay.workspaceId.toHexString();
  const set = compileTriedSet(await loadTriedPolicies(models, replay));
  const found = { organizationId, workspaceId, set };
  tried.set(_id, found);
  return found;
}

/** The policies of a stored set, to judge other decisions than they did. @throws AppError `NOT_FOUND` */
export async function loadStoredSet(
  models: Models,
  organizationId: string,
  digest: string,
): Promise<TriedSet> {
  const key = `${organizationId}/${digest}`;
  const cached = stored.get(key);
  if (cached) return cached;
  const query = models.policySets.findOne({ organizationId, digest }).lean<PolicySetDocument>();
  const { members } = await findOr404(query);
  const listsOf = new Map(members.map(({ id, lists = [] }) => [id.toHexString(), lists]));
  const definitions = (await loadRevisions(models, organizationId, members)).map(toDefinition);
  const named = definitions.map((policy) => ({ policy, lists: listsOf.get(policy.id) ?? [] }));
  const set = compileTriedSet(await withLists(models, organizationId, named));
  stored.set(key, set);
  return set;
}

/** Returns the policies behind a digest, by `toCacheKey`. */
export async function loadJudgingRevisions(
  models: Models,
  organizationId: string,
  digest: string,
): Promise<ReadonlySet<string>> {
  const key = `${organizationId}/${digest}`;
  let cached = sets.get(key);
  if (!cached) {
    const set = await models.policySets
      .findOne({ organizationId, digest })
      .lean<PolicySetDocument>();
    const names = set?.members.map(toJudgedKey);
    sets.set(key, (cached = new Set(names)));
  }
  return cached;
}

/** Names a member of a set as `toCacheKey` names the policy that it was. */
export function toJudgedKey({ id, revision, lists }: PolicySetDocument['members'][number]): string {
  const digests = lists && Object.fromEntries(lists.map(({ name, digest }) => [name, { digest }]));
  return toCacheKey({ id: id.toHexString(), revision, lists: digests });
}

async function loadTriedPolicies(
  models: Models,
  { organizationId, members, candidate, lists = [] }: PolicyReplayDocument,
): Promise<PolicyDefinition[]> {
  const revisions = await loadRevisions(models, organizationId, members);
  const others = revisions.map(toDefinition);
  const tried =
    candidate === null ? others : [...others, JSON.parse(candidate) as PolicyDefinition];
  return withLists(
    models,
    organizationId,
    tried.map((policy) => ({ policy, lists })),
  );
}
