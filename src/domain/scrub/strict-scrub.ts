// What takes out of a text whatever any organisation could choose to take out: for messages that leave this service.
import { LRUCache } from 'lru-cache';
import { createScrubber } from './scrubber.ts';

const strictest = createScrubber({ nationalIds: true, extended: true });

/** A name is told in many messages; scrubbing one anew can take milliseconds. */
const known = new LRUCache<string, string>({
  max: 500,
  memoMethod: (text) => strictest.text(text).text,
});

export const strictScrub = (text: string): string => known.memo(text);
