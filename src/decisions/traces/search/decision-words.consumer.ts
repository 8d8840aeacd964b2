// Indexes blind words and facets of ingested and amended decisions for the search, and removes those of erased ones.
import {
  type WordDigester,
  createWordDigester,
  indexText,
} from '../../../domain/search/blind-words.ts';
import { readSealed } from '../../../domain/record/commitments.ts';
import type { ReviewPayload } from '../../../domain/record/payload.ts';
import { listActorNames } from '../../../domain/review/actor-marks.ts';
import { findReviewEnd } from '../../../domain/review/review-end.ts';
import {
  collectActionText,
  type Decider,
  listFacetTerms,
  toDeciderTerm,
} from '../../../domain/search/decision-facets.ts';
import type { Json } from '@assay/json';
import { readActionSummary } from '@assay/policy';
import { PeriodicYield, yieldToEventLoop } from '../../../platform/concurrency/event-loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { TraceDocument } from '../traces.model.ts';
import { createSegments, type WordChange } from './word-segments.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'keyStore'>;
type Entry = Pick<
  TraceDocument,
  | 'kind'
  | 'sequence'
  | 'traceId'
  | 'generation'
  | 'sealed'
  | 'view'
  | 'verdict'
  | 'workspaceId'
  | 'tags'
>;

/** What an entry changes in both indexes. A correction leaves what the agent did; an amendment says who decides since. */
interface Changes {
  words: WordChange | null;
  facets: WordChange;
}

/** Limits consecutive runs: when far behind, it decrypts hours of contents, and alerts must not wait for it. */
const RUNS_IN_TURN = 4;
/** Steps before the event loop is yielded, a few milliseconds: one for each term, 32 for each entry. */
const STEPS_IN_TURN = 1_024;
const STEPS_OF_ENTRY = 32;
/** The consumer's name, under which its cursors are stored. */
export const WORDS_CONSUMER = 'decision-words';
/** Texts of a decision in its segment, those of `search` first; then the one of its action. */
const TEXTS = ['rationale', 'triggeringCondition'] as const;
export const TEXTS_OF_SEARCH = TEXTS.length;
/** Only the indexed values are kept in memory until they are processed. */
const PROJECTION = {
  traceId: 1,
  'sealed.rationale': 1,
  'sealed.triggeringCondition': 1,
  'sealed.outputDecision': 1,
  'sealed.actor': 1,
  'sealed.principal': 1,
  view: 1,
  verdict: 1,
  workspaceId: 1,
  tags: 1,
  generation: 1,
  content: 1,
} as const;

export function createDecisionWordsConsumer({
  models,
  contents,
  keyStore,
}: Deps): TransactionalConsumer<TraceDocument> {
  const words = createSegments(models.wordSegments, models);
  const facets = createSegments(models.facetSegments, models);
  /** Caches word digests between runs; they are dropped with the key, which is cached for seconds. */
  const blinds = new WeakMap<Buffer, WordDigester>();

  function getBlind(key: Buffer): WordDigester {
    const known = blinds.get(key);
    if (known) return known;
    const made = createWordDigester(key);
    blinds.set(key, made);
    return made;
  }

  return {
    name: WORDS_CONSUMER,
    from: 'start',
    kinds: ['trace', 'correction', 'review', 'status', 'erasure'],
    runsInTurn: RUNS_IN_TURN,
    projection: PROJECTION,
    async consume(entries, { session, organizationId }) {
      const key = await keyStore.loadOrganizationKey(organizationId);
      if (!key) return;
      const opened = await contents.decryptDocuments<Entry>(organizationId, entries);
      const changes = await collectChanges(opened, getBlind(key));
      const ofWords = changes.flatMap((change) => change.words ?? []);
      await words.store(organizationId, ofWords, session);
      await facets.store(
        organizationId,
        changes.map((change) => change.facets),
        session,
      );
    },
  };
}

async function collectChanges(entries: readonly Entry[], blind: WordDigester): Promise<Changes[]> {
  const changes: Changes[] = [];
  const yielding = new PeriodicYield(STEPS_IN_TURN);
  for (const entry of entries) {
    const change = await toChanges(entry, blind);
    changes.push(change);
    await yielding.addWork(STEPS_OF_ENTRY + countTerms(change.words) + countTerms(change.facets));
  }
  return changes;
}

function countTerms(change: WordChange | null): number {
  if (!change || change.kind === 'erasure') return 0;
  const { texts } = change.kind === 'trace' ? change.decision : change;
  return texts.reduce((count, text) => count + (text?.length ?? 0), 0);
}

async function toChanges(entry: Entry, blind: WordDigester): Promise<Changes> {
  const { kind, traceId } = entry;
  if (kind === 'erasure') return { words: { kind, traceId }, facets: { kind, traceId } };
  const by = [blind(toDeciderTerm(findDecider(entry)))];
  const facets: WordChange = { kind: 'correction', traceId, texts: [null, by] };
  if (kind === 'review' || kind === 'status') return { words: null, facets };
  const output = readSealed(entry.sealed, 'outputDecision');
  const texts = await collectTexts(entry, output, blind);
  if (kind === 'correction') return { words: { kind, traceId, texts }, facets };
  const facetsOf = { ...entry, subjectIds: listSubjectIds(entry) };
  const terms = [...listFacetTerms(readActionSummary(output), facetsOf)].map(blind);
  const given = texts.map((text) => text ?? []);
  return { words: toAddition(entry, given), facets: toAddition(entry, [terms, by]) };
}

/** Those for whom it was made: as it says itself, and as its run token was verified. */
function listSubjectIds({ sealed }: Entry): string[] {
  const { chain = null } = Object(readSealed(sealed, 'principal')) as { chain?: Json };
  return [readSealed(sealed, 'actor'), chain].flatMap((each) => listActorNames(each ?? undefined));
}

function toAddition({ traceId, sequence, generation = 0 }: Entry, texts: number[][]): WordChange {
  return { kind: 'trace', traceId, decision: { sequence, generation, texts } };
}

/** A lapse is what the policy wanted; a withdrawal decides nothing. */
function findDecider({ kind, verdict, view }: Entry): Decider {
  if (kind === 'trace') return verdict === 'flagged' ? 'undecided' : 'policy';
  if (kind !== 'review') return 'person';
  const payload = JSON.parse(view) as ReviewPayload;
  if (findReviewEnd(payload) === 'withdrawn') return 'undecided';
  return payload.actor.kind === 'system' ? 'policy' : 'person';
}

/** The indexed texts of an entry; null for each that it does not contain. */
async function collectTexts(
  entry: Entry,
  output: Json,
  blind: WordDigester,
): Promise<(number[] | null)[]> {
  const values = [
    ...TEXTS.map((name) => readSealed(entry.sealed, name)),
    output === null ? null : collectActionText(output),
  ];
  const texts: (number[] | null)[] = [];
  for (const value of values) {
    const isText = typeof value === 'string';
    texts.push(isText ? await indexText(value, blind, yieldToEventLoop) : null);
  }
  return texts;
}
