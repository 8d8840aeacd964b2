// Counts decisions whose words or facets the search still holds.
import type { Platform } from '../../../platform/platform.ts';
import { unpackDecisions } from '../../../domain/search/word-segment.ts';
import { PeriodicYield } from '../../../platform/concurrency/event-loop.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';
import { openSegments, toWordSegment } from './word-segments.ts';

/** Segments before the event loop is yielded. */
const SEGMENTS_IN_TURN = 8;

/** @param sequences those of the entries that ingested the decisions */
export async function countIndexedDecisions(
  platform: Platform,
  organizationId: string,
  sequences: readonly number[],
): Promise<number> {
  const yielding = new PeriodicYield(SEGMENTS_IN_TURN);
  const wanted = new Set(sequences);
  const indexed = new Set<number>();
  for (const index of Object.values(openSegments(platform))) {
    let readTo = 0;
    for (const sequence of [...wanted].sort((a, b) => a - b)) {
      if (sequence <= readTo) continue;
      const segment = await index.find(organizationId, sequence);
      if (!segment || segment.to < sequence) continue;
      for (const found of listWanted(segment, wanted)) indexed.add(found);
      readTo = segment.to;
      await yielding.addWork(1);
    }
  }
  return indexed.size;
}

function listWanted(segment: WordSegmentDocument, wanted: ReadonlySet<number>): number[] {
  const sequences = [...unpackDecisions(toWordSegment(segment))].map(({ sequence }) => sequence);
  return sequences.filter((sequence) => wanted.has(sequence));
}
