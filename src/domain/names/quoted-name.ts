// Quotes names chosen by users for mails, so that they neither read as the mail's own words nor become links.
import { truncate } from '@assay/json';

const SHOWN = 80;

/** Quoted and truncated, with a blank after every character that could make a mail reader see an address. */
export function toQuotedName(name: string): string {
  const apart = name.replace(/["“”„«»]/g, '’').replace(/[.:/\\@](?=\S)/g, '$& ');
  const shown = truncate(apart, SHOWN);
  return shown === apart ? `“${apart}”` : `“${shown}…”`;
}
