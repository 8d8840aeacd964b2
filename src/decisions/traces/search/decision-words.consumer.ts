// Indexes the blind words of ingested and corrected decisions for the search, and removes those of erased ones.
import {
  type WordDigester,
  createWordDigester,
  indexText,
} from '../../../domain/search/blind-words.ts';
import type { CommittedValue } from '../../../domain/record/commitments.ts';
import { PeriodicYield, yieldToEventLoop } from '../../../platform/concurrency/event-loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { TraceDocument } from '../traces.model.ts';
import { createWordSegments, type WordChange } from './word-segments.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'keyStore'>;
type Entry = Pick<TraceDocument, 'kind' | 'sequence' | 'traceId' | 'generation' | 'sealed'>;

/** Limits consecutive runs: when far behind, it decrypts hours of contents, and alerts must not wait for it. */
const RUNS_IN_TURN = 4;
/** Steps before the event loop is yielded, a few milliseconds: one for each term, 32 for each entry. */
const STEPS_IN_TURN = 1_024;
const STEPS_OF_ENTRY = 32;
/** The consumer's name, under which its cursors are stored. */
export const WORDS_CONSUMER = 'decision-words';
const TEXTS = ['rationale', 'triggeringCondition'] as const;
/** Only the indexed values are kept in memory until they are processed. */
const PROJECTION = {
  traceId: 1,
  'sealed.rationale': 1,
  'sealed.triggeringCondition': 1,
  generation: 1,
  content: 1,
} as const;

export function createDecisionWordsConsumer({
  models,
  contents,
  keyStore,
}: Deps): TransactionalConsumer<TraceDocument> {
  const segments = createWordSegments(models);
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
    kinds: ['trace', 'correction', 'erasure'],
    runsInTurn: RUNS_IN_TURN,
    projection: PROJECTION,
    async consume(entries, { session, organizationId }) {
      const key = await keyStore.loadOrganizationKey(organizationId);
      if (!key) return;
      const opened = await contents.decryptDocuments<Entry>(organizationId, entries);
      const changes = await collectChanges(opened, getBlind(key));
      await segments.store(organizationId, changes, session);
    },
  };
}

async function collectChanges(
  entries: readonly Entry[],
  blind: WordDigester,
): Promise<WordChange[]> {
  const changes: WordChange[] = [];
  const yielding = new PeriodicYield(STEPS_IN_TURN);
  for (const entry of entries) {
    const change = await toWordChange(entry, blind);
    changes.push(change);
    await yielding.addWork(STEPS_OF_ENTRY + countTerms(change));
  }
  return changes;
}

function countTerms(change: WordChange): number {
  if (change.kind === 'erasure') return 0;
  const { texts } = change.kind === 'trace' ? change.decision : change;
  return texts.reduce((count, text) => count + (text?.length ?? 0), 0);
}

async function toWordChange(entry: Entry, blind: WordDigester): Promise<WordChange> {
  const { kind, traceId, sequence, generation = 0 } = entry;
  if (kind === 'erasure') return { kind, traceId };
  const texts = await collectTexts(entry, blind);
  if (kind === 'correction') return { kind, traceId, texts };
  const given = texts.map((text) => text ?? []);
  return { kind: 'trace', traceId, decision: { sequence, generation, texts: given } };
}

/** The indexed texts of an entry; null for each that it does not contain. */
async function collectTexts({ sealed }: Entry, blind: WordDigester): Promise<(number[] | null)[]> {
  const texts: (number[] | null)[] = [];
  for (const name of TEXTS) {
    const text = readText((sealed ?? {})[name]);
    texts.push(text === null ? null : await indexText(text, blind, yieldToEventLoop));
  }
  return texts;
}

function readText(stored: CommittedValue | null | undefined): string | null {
  const value: unknown = stored ? JSON.parse(stored.text) : null;
  return typeof value === 'string' ? value : null;
}
