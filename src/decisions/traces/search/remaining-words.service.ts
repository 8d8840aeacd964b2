// Counts decisions whose words the search still holds.
import type { Platform } from '../../../platform/platform.ts';
import { unpackDecisions } from '../../../domain/search/word-segment.ts';
import { PeriodicYield } from '../../../platform/concurrency/event-loop.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';
import { createWordIndex, toWordSegment } from './word-segments.ts';

/** Segments before the event loop is yielded. */
const SEGMENTS_IN_TURN = 8;

export function createRemainingWords({ models }: Pick<Platform, 'models'>) {
  const index = createWordIndex(models);

  return {
    /** @param sequences those of the entries that ingested the decisions */
    async countIndexed(organizationId: string, sequences: readonly number[]): Promise<number> {
      const yielding = new PeriodicYield(SEGMENTS_IN_TURN);
      let [count, readTo] = [0, 0];
      const wanted = new Set(sequences);
      for (const sequence of [...wanted].sort((a, b) => a - b)) {
        if (sequence <= readTo) continue;
        const segment = await index.find(organizationId, sequence);
        if (!segment || segment.to < sequence) continue;
        count += countWanted(segment, wanted);
        readTo = segment.to;
        await yielding.addWork(1);
      }
      return count;
    },
  };
}

function countWanted(segment: WordSegmentDocument, wanted: ReadonlySet<number>): number {
  let count = 0;
  for (const { sequence } of unpackDecisions(toWordSegment(segment)))
    if (wanted.has(sequence)) count++;
  return count;
}
export type RemainingWords = ReturnType<typeof createRemainingWords>;
