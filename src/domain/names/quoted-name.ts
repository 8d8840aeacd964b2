// A name that others have chosen, as a mail shows it: nothing in it reads as the mail's own words, or becomes a link.
import { truncate } from './truncate.ts';

const SHOWN = 80;

/** In quotes, cut, and with a blank behind whatever a mail reader could take for a part of an address. */
export function quotedName(name: string): string {
  const apart = name.replace(/["“”„«»]/g, '’').replace(/[.:/\\@](?=\S)/g, '$& ');
  const shown = truncate(apart, SHOWN);
  return shown === apart ? `“${apart}”` : `“${shown}…”`;
}
