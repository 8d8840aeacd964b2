// Texts of agents and operators in mails and chats: nothing in them becomes a link, a mention or another direction.
import { truncate } from '@assay/json';

/** A dot within a name that a reader could turn into a link; the dots of numbers stay. */
const DOTS = /(?<=[\p{L}\p{N}_-])[.\u3002\uff0e\uff61](?=\p{L})/gu;
const SCHEMES = /:(?=\/\/)/g;
const MENTIONS = /[@\uff20](?=\S)/g;
/** Controls, and characters that are invisible or turn the direction around; joiners are parts of words and emoji. */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const showCode = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Shows characters that a reader would not see; line breaks become blanks. */
export function toVisibleText(text: string): string {
  return text.replace(/\r\n|[\n\r\t]/g, ' ').replace(HIDDEN, showCode);
}

/** The same, with line breaks and tabs as they are. */
export function toVisibleLines(text: string): string {
  return text.replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu, showCode);
}

/** One line of at most about `limit` characters. */
export function toPlainText(text: string, limit: number): string {
  const visible = toVisibleText(truncate(text, limit));
  const apart = visible.replace(DOTS, '$& ').replace(SCHEMES, ': ').replace(MENTIONS, '$& ');
  return text.length > limit ? `${apart}…` : apart;
}
