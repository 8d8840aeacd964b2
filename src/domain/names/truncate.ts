// Cuts a text that is longer than it may be, between two characters as people see them.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** UTF-16 units that one character takes at most; a longer pile of marks is cut through, between two of them. */
const GRAPHEME_MAX = 64;

/** The text, or its beginning of at most so many UTF-16 units, without half a surrogate pair or half a character at its end. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // A window is enough to see the character around the limit, and a long text costs no more than a short one.
  const from = Math.max(0, limit - GRAPHEME_MAX);
  const window = graphemes.segment(text.slice(from, limit + GRAPHEME_MAX));
  const start = from + (window.containing(limit - from)?.index ?? 0);
  return start > from ? text.slice(0, start) : text.slice(0, codePointEnd(text, limit));
}

function codePointEnd(text: string, limit: number): number {
  const isHalved = limit > 0 && (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return isHalved ? limit - 1 : limit;
}
