// Gives policies the contents of the lists that they name: as they are now, or as they were under a digest.
import { LRUCache } from 'lru-cache';
import type { Types } from 'mongoose';
import { type Condition, findListNames, type ListDigests, type NamedList } from '@assay/policy';
import type { Models } from '../../models.ts';
import type { PolicyListContentsDocument, PolicyListDocument } from './policy-lists.model.ts';

/** What the contents of lists are read from. */
export type ListModels = Pick<Models, 'policyLists' | 'policyListContents'>;

/** A list as it was, or is. */
export interface ListRef {
  name: string;
  digest: string;
}

/** The workspace whose policies may name it; null: those of all. */
interface CurrentList extends ListRef {
  workspaceId: Types.ObjectId | null;
}

type Id = string | Types.ObjectId;
type WithConditions = { conditions: readonly Condition[] };

/** Characters of lists that stay in memory; by digest, so that they never become stale. */
const KEPT_CHARACTERS = 32_000_000;
const kept = new LRUCache<string, ReadonlySet<string>>({ maxSize: KEPT_CHARACTERS });

/** The lists that there are of those that policies name. */
export async function findCurrentLists(
  { policyLists }: Pick<Models, 'policyLists'>,
  organizationId: Id,
  policies: readonly WithConditions[],
): Promise<CurrentList[]> {
  const names = [...new Set(policies.flatMap(({ conditions }) => findListNames(conditions)))];
  if (names.length === 0) return [];
  return policyLists
    .find({ organizationId, name: { $in: names } }, 'name digest workspaceId')
    .lean<PolicyListDocument[]>();
}

/** Those that policies of a workspace may name. */
export const selectListsOf = (lists: readonly CurrentList[], workspaceId: string): ListRef[] =>
  lists
    .filter((list) => list.workspaceId === null || list.workspaceId.equals(workspaceId))
    .map(({ name, digest }) => ({ name, digest }));

/** All lists that policies of a workspace may name. */
export async function findListsOf(
  { policyLists }: Pick<Models, 'policyLists'>,
  organizationId: Id,
  workspaceId: string,
): Promise<ListRef[]> {
  const found = await policyLists
    .find({ organizationId }, 'name digest workspaceId')
    .lean<PolicyListDocument[]>();
  return selectListsOf(found, workspaceId);
}

/**
 * Adds the contents of the lists that each policy names. A list that is not among `lists` stays out: its condition is then
 * in error.
 */
export async function withLists<P extends WithConditions>(
  models: ListModels,
  organizationId: Id,
  policies: readonly { policy: P; lists: readonly ListRef[] }[],
): Promise<(P & { lists?: Record<string, NamedList> })[]> {
  const filled: (P & { lists?: Record<string, NamedList> })[] = [];
  for (const { policy, lists } of policies) {
    const names = findListNames(policy.conditions);
    if (names.length === 0) {
      filled.push(policy);
      continue;
    }
    const named = lists.filter(({ name }) => names.includes(name));
    const contents: Record<string, NamedList> = {};
    for (const { name, digest } of named)
      contents[name] = { digest, values: await loadContents(models, organizationId, digest) };
    filled.push({ ...policy, lists: contents });
  }
  return filled;
}

/** The digests of a member of a policy set as they are stored. */
export const toListRefs = (lists: ListDigests): ListRef[] =>
  Object.entries(lists).map(([name, { digest }]) => ({ name, digest }));

/** The values behind a digest; empty where there are none. */
export async function loadContents(
  { policyListContents }: Pick<Models, 'policyListContents'>,
  organizationId: Id,
  digest: string,
): Promise<ReadonlySet<string>> {
  const key = `${String(organizationId)}/${digest}`;
  const known = kept.get(key);
  if (known) return known;
  const found = await policyListContents
    .findOne({ organizationId, digest })
    .lean<PolicyListContentsDocument>();
  const text = found?.values ?? '[]';
  const values = new Set(JSON.parse(text) as string[]);
  if (found) kept.set(key, values, { size: text.length });
  return values;
}
