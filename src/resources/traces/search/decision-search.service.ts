// Finds decisions by the words of their rationale and triggering condition (document 2, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import { leafAt } from '../../../domain/keys/key-tree.ts';
import { blindBy, blindQuery } from '../../../domain/search/blind-words.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { DecisionSearchDocument } from './decision-searches.model.ts';

type Deps = Pick<Platform, 'models' | 'keyStore'>;
type Hit = Pick<DecisionSearchDocument, 'sequence' | 'generation'>;

/** The newest of those that are found. */
export const SEARCH_MAX = 10_000;

export function createDecisionSearchService({ models, keyStore }: Deps) {
  /** In a copy that was restored words may stand of what was erased since: its key is gone. */
  async function withKey(organizationId: string, hits: readonly Hit[]): Promise<number[]> {
    const leaves = hits.map(({ sequence, generation }) => leafAt(sequence, generation));
    const keys = await keyStore.leafKeys(organizationId, leaves);
    return hits.filter((_, at) => keys.has(leaves[at] ?? '')).map(({ sequence }) => sequence);
  }

  return {
    /** The sequences of the decisions that a query finds. */
    async find(organizationId: string, query: string): Promise<number[]> {
      const key = await keyStore.ownKey(organizationId);
      const search = key && blindQuery(query, blindBy(key));
      if (!search) return [];
      const hits = await models.decisionSearches
        .find({ organizationId, $text: { $search: search } }, 'sequence generation')
        .sort({ sequence: -1 })
        .limit(SEARCH_MAX)
        .maxTimeMS(READ_MAX_MS)
        .lean<Hit[]>();
      return withKey(organizationId, hits);
    },
  };
}
export type DecisionSearchService = ReturnType<typeof createDecisionSearchService>;
