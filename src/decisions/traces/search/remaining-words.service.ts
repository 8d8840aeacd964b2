// Counts decisions whose words the search still holds.
import type { Platform } from '../../../platform/platform.ts';
import { unpackDecisions } from '../../../domain/search/word-segment.ts';
import { PeriodicYield } from '../../../platform/concurrency/event-loop.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';
import { openWordIndex, toWordSegment } from './word-segments.ts';

/** Segments before the event loop is yielded. */
const SEGMENTS_IN_TURN = 8;

/** @param sequences those of the entries that ingested the decisions */
export async function countIndexedDecisions(
  platform: Platform,
  organizationId: string,
  sequences: readonly number[],
): Promise<number> {
  const yielding = new PeriodicYield(SEGMENTS_IN_TURN);
  let [count, readTo] = [0, 0];
  const wanted = new Set(sequences);
  for (const sequence of [...wanted].sort((a, b) => a - b)) {
    if (sequence <= readTo) continue;
    const segment = await openWordIndex(platform).find(organizationId, sequence);
    if (!segment || segment.to < sequence) continue;
    count += countWanted(segment, wanted);
    readTo = segment.to;
    await yielding.addWork(1);
  }
  return count;
}

function countWanted(segment: WordSegmentDocument, wanted: ReadonlySet<number>): number {
  let count = 0;
  for (const { sequence } of unpackDecisions(toWordSegment(segment)))
    if (wanted.has(sequence)) count++;
  return count;
}
