// What takes out of a text whatever any organisation could choose to take out: for messages that leave this service.
import { createScrubber } from './scrubber.ts';

const strictest = createScrubber({ nationalIds: true, extended: true });

export const strictScrub = (text: string): string => strictest.text(text).text;
