// The policies that a replay tries, and those that judged on the day, by what is stored of them.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../composition/platform.ts';
import type { PolicyDefinition } from '../../../domain/policies/definition.ts';
import { revisionName, triedSet, type TriedSet } from '../../../domain/policies/trials/rejudge.ts';
import type { PolicyRevisionDocument, PolicySetDocument } from '../policies.model.ts';
import type { PolicyReplayDocument } from './policy-replays.model.ts';

export function createReplaySets({ models }: Pick<Platform, 'models'>) {
  const tried = new LRUCache<string, TriedSet>({ max: 20 });
  const sets = new LRUCache<string, ReadonlySet<string>>({ max: 100 });

  async function definitionsOf(replay: PolicyReplayDocument): Promise<PolicyDefinition[]> {
    const { organizationId, members, candidate } = replay;
    const $or = members.map(({ id, revision }) => ({ policyId: id, revision }));
    const revisions =
      $or.length === 0
        ? []
        : await models.policyRevisions
            .find({ organizationId, $or })
            .lean<PolicyRevisionDocument[]>();
    const others = revisions.map(
      ({ policyId, revision, name, description, priority, conditions, actions }) => ({
        id: policyId.toHexString(),
        revision,
        name,
        description,
        priority,
        conditions,
        actions,
      }),
    );
    return candidate === null ? others : [...others, JSON.parse(candidate) as PolicyDefinition];
  }

  return {
    /** What is tried: the candidate and the others, as they were enabled when the replay began. */
    async triedBy(replay: PolicyReplayDocument): Promise<TriedSet> {
      const key = replay._id.toHexString();
      const known = tried.get(key) ?? triedSet(await definitionsOf(replay));
      tried.set(key, known);
      return known;
    },

    /** The policies that judged, as `id@revision`. */
    async judgedBy(
      organizationId: PolicyReplayDocument['organizationId'],
      digest: string,
    ): Promise<ReadonlySet<string>> {
      const key = `${organizationId.toHexString()}/${digest}`;
      let known = sets.get(key);
      if (!known) {
        const set = await models.policySets
          .findOne({ organizationId, digest })
          .lean<PolicySetDocument>();
        const names = set?.members.map(({ id, revision }) =>
          revisionName({ id: id.toHexString(), revision }),
        );
        sets.set(key, (known = new Set(names)));
      }
      return known;
    },
  };
}
