// Finds decisions by their words and by their facets, each look-up in its own index (document 2, section 4.1).
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { toLeaf } from '../../../domain/keys/key-tree.ts';
import {
  createWordDigester,
  type BlindQuery,
  parseBlindQuery,
  parseStrictQuery,
  type WordDigester,
} from '../../../domain/search/blind-words.ts';
import { type FacetQuery, listFacetSets } from '../../../domain/search/decision-facets.ts';
import {
  findByWords,
  findHits,
  type SearchHit,
  type WordSegment,
} from '../../../domain/search/word-segment.ts';
import { TEXTS_OF_SEARCH, WORDS_CONSUMER } from './decision-words.consumer.ts';
import { measureIndexLag } from './index-lag.ts';
import { type LookUp, readHits, readLots } from './segment-hits.ts';
import { openSegments } from './word-segments.ts';

type Reader = Pick<Tenant, 'organizationId' | 'signal'>;

/** What the indexes are asked for. */
export interface IndexQuery extends FacetQuery {
  search?: string | undefined;
  text?: string | undefined;
}

/** Maximum number of results: the newest ones. */
export const SEARCH_MAX = 10_000;
/** Decisions that the indexes find and other filters look at, the newest first. */
const LOOKED_MAX = 10 * SEARCH_MAX;

/** Number of newest entries that are not indexed yet. */
export const measureWordLag = (platform: Platform, organizationId: string): Promise<number> =>
  measureIndexLag(platform, organizationId, WORDS_CONSUMER);

export const isIndexQuery = ({ search, text, ...facets }: IndexQuery): boolean =>
  search !== undefined || text !== undefined || listFacetSets(facets).length > 0;

/** Selects the decisions that other filters find too, by their sequences. */
export type Retain = (sequences: number[]) => Promise<ReadonlySet<number>>;

/** The sequences of the newest decisions that a query and `retain` find; null: there is no other filter. */
export async function searchDecisions(
  platform: Platform,
  reader: Reader,
  { query, retain }: { query: IndexQuery; retain: Retain | null },
): Promise<number[]> {
  const { organizationId } = reader;
  const key = await platform.keyStore.loadOrganizationKey(organizationId);
  const lookUps = key && parseLookUps(query, createWordDigester(key));
  if (!lookUps) return [];
  const found: SearchHit[] = [];
  let looked = 0;
  for await (const lot of readLots(readHits(openSegments(platform), reader, lookUps), SEARCH_MAX)) {
    const isAll = looked === 0 && lot.length < SEARCH_MAX;
    found.push(...(isAll || !retain ? lot : await retainHits(lot, retain)));
    looked += lot.length;
    if (found.length >= SEARCH_MAX || looked >= LOOKED_MAX) break;
  }
  return retainUnerased(platform, organizationId, found.slice(0, SEARCH_MAX));
}

/** A single lot needs none of this: the list itself is filtered. */
async function retainHits(lot: readonly SearchHit[], retain: Retain): Promise<SearchHit[]> {
  const retained = await retain(lot.map(({ sequence }) => sequence));
  return lot.filter(({ sequence }) => retained.has(sequence));
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

/** The look-ups of a query, one in an index; null if one of them can find nothing. */
function parseLookUps(query: IndexQuery, blind: WordDigester): LookUp[] | null {
  const { search, text, ...facets } = query;
  const words = [
    ...(search === undefined ? [] : [toFind(parseBlindQuery(search, blind), TEXTS_OF_SEARCH)]),
    ...(text === undefined ? [] : [toFind(parseStrictQuery(text, blind))]),
  ];
  if (words.some(({ sets }) => sets.length === 0)) return null;
  const sets = words.flatMap((one) => one.sets);
  const finds = words.map(({ find }) => find);
  const ofWords: LookUp = { index: 'words', sets, finds };
  return [toFacetLookUp(facets, blind), ofWords].filter((one) => one.sets.length > 0);
}

function toFacetLookUp(facets: FacetQuery, blind: WordDigester): LookUp {
  const ofFacets = listFacetSets(facets);
  const digests = ofFacets.map(({ terms }) => new Set(terms.map(blind)));
  const sets = ofFacets.map(({ coarse }) => coarse.map(blind));
  return { index: 'facets', sets, finds: [(segment) => findByWords(segment, digests)] };
}

interface Find {
  /** None: it can find nothing. */
  sets: number[][];
  find(segment: WordSegment): SearchHit[];
}

const toFind = (query: BlindQuery, texts?: number): Find => ({
  sets: toSegmentSets(query),
  find: (segment) => findHits(segment, query, texts),
});

/** Segments that may match a query have a word of each set. */
function toSegmentSets({ words, phrases }: BlindQuery): number[][] {
  if (phrases.length > 0) return [...new Set(phrases.flat())].map((word) => [word]);
  const firsts = words.flatMap((word) => word.slice(0, 1));
  return firsts.length > 0 ? [[...new Set(firsts)]] : [];
}
