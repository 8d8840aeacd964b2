// Scrubs texts of outgoing messages with the strictest options that an organisation can choose.
import { LRUCache } from 'lru-cache';
import { createScrubber } from './scrubber.ts';

const strictest = createScrubber({ nationalIds: true, extended: true });

/** A cache: the same names occur in many messages, and scrubbing one can take milliseconds. */
const scrubbedTexts = new LRUCache<string, string>({
  max: 500,
  memoMethod: (text) => strictest.scrubString(text).text,
});

export const scrubStrictly = (text: string): string => scrubbedTexts.memo(text);
