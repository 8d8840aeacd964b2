// Follows the ledger for the search: the blind words of what is decided and corrected, none of what is erased.
import { inTurns, type Parts } from '../../../domain/others-turn.ts';
import { type Blind, blindBy, blindText } from '../../../domain/search/blind-words.ts';
import type { SealedValue } from '../../../domain/record/commitments.ts';
import type { Platform } from '../../../composition/platform.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import { objectId } from '../../../ledger/ledger.model.ts';
import type { TraceDocument } from '../traces.model.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'keyStore'>;
type Entry = Pick<TraceDocument, 'kind' | 'sequence' | 'traceId' | 'generation' | 'sealed'>;

/** Entries of one run: each has some hundred words. */
const BATCH = 256;
/** Far behind it opens contents of hours: alerts do not wait until all are found. */
const RUNS_IN_TURN = 4;
/** Entries after which others have their turn: ordinary ones take some milliseconds together. */
const IN_TURN = 16;
const TEXTS = ['rationale', 'triggeringCondition'] as const;

export function decisionSearchConsumer(deps: Deps): TransactionalConsumer<TraceDocument> {
  const { models, contents, keyStore } = deps;
  return {
    name: 'decision-search',
    from: 'start',
    kinds: ['trace', 'correction', 'erasure'],
    batch: BATCH,
    runsInTurn: RUNS_IN_TURN,
    projection: { traceId: 1, sealed: 1, generation: 1, content: 1 },
    async run(entries, { session, organizationId }) {
      const key = await keyStore.ownKey(organizationId);
      if (!key) return;
      const blind = blindBy(key);
      const opened = await contents.open<Entry>(organizationId, entries);
      const operations = await inTurns(operationsFor(organizationId, opened, blind));
      if (operations.length > 0)
        await models.decisionSearches.bulkWrite(operations as never[], { session });
    },
  };
}

function* operationsFor(
  organizationId: string,
  entries: readonly Entry[],
  blind: Blind,
): Parts<object[]> {
  const operations: object[] = [];
  for (const [at, entry] of entries.entries()) {
    operations.push(...(yield* operationFor(organizationId, entry, blind)));
    if (at % IN_TURN === IN_TURN - 1) yield;
  }
  return operations;
}

function* operationFor(organizationId: string, entry: Entry, blind: Blind): Parts<object[]> {
  const { kind, traceId, sequence, generation = 0 } = entry;
  const filter = { organizationId: objectId(organizationId), traceId };
  if (kind === 'erasure') return [{ deleteOne: { filter } }];
  const words = yield* wordsOf(entry, blind);
  if (Object.keys(words).length === 0) return [];
  if (kind === 'correction') return [{ updateOne: { filter, update: { $set: words } } }];
  const set = Object.assign({ sequence, generation }, words);
  return [{ updateOne: { filter, update: { $set: set }, upsert: true } }];
}

/** Of the texts that an entry brings. */
function* wordsOf({ sealed }: Entry, blind: Blind): Parts<Record<string, string>> {
  const words: Record<string, string> = {};
  for (const name of TEXTS) {
    const text = textOf((sealed ?? {})[name]);
    if (text !== null) words[name] = yield* blindText(text, blind);
  }
  return words;
}

function textOf(stored: SealedValue | null | undefined): string | null {
  const value: unknown = stored ? JSON.parse(stored.text) : null;
  return typeof value === 'string' ? value : null;
}
