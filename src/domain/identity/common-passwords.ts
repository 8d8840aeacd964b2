// The 3,000 most common passwords that the rule would accept, compared case-insensitively (document 1, section 4.1).
//
// The first 2,792 are from the public list "10 million passwords, top 1,000,000" (Mark Burnett, 2015; in the SecLists
// collection, MIT licence), in its order of frequency: those with at least ten characters, two letters and a digit,
// case aside. The last 208 follow newer patterns: seasons and words of welcome with a year from 2020 to 2026, and usual
// words with the usual digits.
// Passwords that look like an e-mail address, are not ASCII, or contain a backslash, a backquote or "${" are left out.
import { readFileSync } from 'node:fs';

const LIST = new URL('./common-passwords.txt', import.meta.url);
const COMMON: ReadonlySet<string> = new Set(readFileSync(LIST, 'utf8').trimEnd().split('\n'));

/** Whether a password is on the list, in any case. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase());
}
