// Finds decisions by the words of their rationale and triggering condition (document 2, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { leafAt } from '../../../domain/keys/key-tree.ts';
import { Stint } from '../../../domain/others-turn.ts';
import { blindBy, type BlindQuery, blindQuery } from '../../../domain/search/blind-words.ts';
import { hitsIn, type SearchHit, type WordSegment } from '../../../domain/search/word-segment.ts';
import { batchesOf, readDocument } from '../../../ledger/bson-reader.ts';
import { rawDocuments, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { tooSlow } from '../../../errors.ts';
import { WORDS_CONSUMER } from './decision-words.consumer.ts';
import { indexLag } from './index-lag.ts';
import { segmentIn, type StoredSegment } from './word-segments.ts';

type Deps = Pick<Platform, 'models' | 'keyStore' | 'ledger'>;
type Reader = Pick<Tenant, 'organizationId' | 'signal'>;

/** The newest of those that are found. */
export const SEARCH_MAX = 10_000;
const SEGMENT = { _id: 0, words: 1, places: 1 } as const;
/** Segments of one answer of the database. */
const BATCH = 64;
/** Bytes of segments that are read before others have their turn: some milliseconds. */
const IN_TURN = 1_000_000;

export function createDecisionSearchService({ models, keyStore, ledger }: Deps) {
  /** The newest segments first, as bytes: Mongoose would take ten times as long for their words. @throws AppError `VALIDATION_ERROR` after some seconds */
  async function* segmentsFor(
    { organizationId, signal }: Reader,
    where: object,
  ): AsyncGenerator<WordSegment> {
    const until = performance.now() + READ_MAX_MS;
    const stint = new Stint(IN_TURN);
    const found = rawDocuments(
      models.wordSegments,
      { organizationId, ...where },
      {
        projection: SEGMENT,
        sort: { from: -1 },
        hint: 'words',
        maxTimeMS: READ_MAX_MS,
        batchSize: BATCH,
      },
    );
    for await (const batch of batchesOf(found, signal))
      for (const bytes of batch) {
        if (performance.now() > until) throw tooSlow();
        yield segmentIn(readDocument(bytes) as unknown as StoredSegment);
        await stint.after(bytes.length);
      }
  }

  /** In a copy that was restored words may stand of what was erased since: its key is gone. */
  async function withKey(organizationId: string, hits: readonly SearchHit[]): Promise<number[]> {
    const leaves = hits.map(({ sequence, generation }) => leafAt(sequence, generation));
    const keys = await keyStore.leafKeys(organizationId, leaves);
    return hits.filter((_, at) => keys.has(leaves[at] ?? '')).map(({ sequence }) => sequence);
  }

  return {
    /** How many of the newest entries are not searched yet. */
    behind: (organizationId: string): Promise<number> =>
      indexLag({ models, ledger }, organizationId, WORDS_CONSUMER),

    /** The sequences of the decisions that a query finds. */
    async find(reader: Reader, query: string): Promise<number[]> {
      const { organizationId } = reader;
      const key = await keyStore.ownKey(organizationId);
      const search = key && blindQuery(query, blindBy(key));
      const where = search && segmentsWith(search);
      if (!where) return [];
      const hits: SearchHit[] = [];
      for await (const segment of segmentsFor(reader, where)) {
        hits.push(...hitsIn(segment, search).reverse());
        if (hits.length >= SEARCH_MAX) break;
      }
      return withKey(organizationId, hits.slice(0, SEARCH_MAX));
    },
  };
}
export type DecisionSearchService = ReturnType<typeof createDecisionSearchService>;

/** The segments in which a query may find something; null: it finds nothing anywhere. */
function segmentsWith({ words, phrases }: BlindQuery): object | null {
  if (phrases.length > 0) return { words: { $all: [...new Set(phrases.flat())] } };
  const firsts = words.flatMap((word) => word.slice(0, 1));
  return firsts.length > 0 ? { words: { $in: [...new Set(firsts)] } } : null;
}
