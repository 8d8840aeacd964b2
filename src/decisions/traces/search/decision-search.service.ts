// Finds decisions by the words of their rationale and triggering condition (document 2, section 4.1).
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { toLeaf } from '../../../domain/keys/key-tree.ts';
import {
  createWordDigester,
  type BlindQuery,
  parseBlindQuery,
} from '../../../domain/search/blind-words.ts';
import { findHits, type SearchHit } from '../../../domain/search/word-segment.ts';
import { WORDS_CONSUMER } from './decision-words.consumer.ts';
import { measureIndexLag } from './index-lag.ts';
import { openWordIndex, toWordSegment } from './word-segments.ts';

type Reader = Pick<Tenant, 'organizationId' | 'signal'>;

/** Maximum number of results: the newest ones. */
export const SEARCH_MAX = 10_000;
/** Number of newest entries that are not indexed yet. */
export const measureWordLag = (platform: Platform, organizationId: string): Promise<number> =>
  measureIndexLag(platform, organizationId, WORDS_CONSUMER);

/** The sequences of the decisions that a query finds. */
export async function searchDecisions(
  platform: Platform,
  reader: Reader,
  query: string,
): Promise<number[]> {
  const { organizationId } = reader;
  const key = await platform.keyStore.loadOrganizationKey(organizationId);
  const search = key && parseBlindQuery(query, createWordDigester(key));
  const where = search && toSegmentFilter(search);
  if (!where) return [];
  const hits: SearchHit[] = [];
  for await (const segment of openWordIndex(platform).readNewest(reader, where, 'words')) {
    hits.push(...findHits(toWordSegment(segment), search).reverse());
    if (hits.length >= SEARCH_MAX) break;
  }
  return retainUnerased(platform, organizationId, hits.slice(0, SEARCH_MAX));
}

/** Drops hits whose key was destroyed: a restored backup may still index decisions that were erased since. */
async function retainUnerased(
  platform: Platform,
  organizationId: string,
  hits: readonly SearchHit[],
): Promise<number[]> {
  const leaves = hits.map(({ sequence, generation }) => toLeaf(sequence, generation));
  const keys = await platform.keyStore.loadLeafKeys(organizationId, leaves);
  return hits.filter((_, at) => keys.hasKey(leaves[at] ?? '')).map(({ sequence }) => sequence);
}

/** Filter for the segments that may match a query; null if it can match nothing. */
function toSegmentFilter({ words, phrases }: BlindQuery): object | null {
  if (phrases.length > 0) return { words: { $all: [...new Set(phrases.flat())] } };
  const firsts = words.flatMap((word) => word.slice(0, 1));
  return firsts.length > 0 ? { words: { $in: [...new Set(firsts)] } } : null;
}
