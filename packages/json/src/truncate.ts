// Truncates a text between two user-perceived characters.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest character in UTF-16 units; a longer pile of combining marks is cut between two of them. */
const GRAPHEME_MAX = 64;

/** The text, or its first `limit` UTF-16 units at most, without half a surrogate pair or character at the end. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // A window around the limit suffices, so a long text costs no more than a short one.
  const from = Math.max(0, limit - GRAPHEME_MAX);
  const window = graphemes.segment(text.slice(from, limit + GRAPHEME_MAX));
  const start = from + (window.containing(limit - from)?.index ?? 0);
  return start > from ? text.slice(0, start) : text.slice(0, findCodePointEnd(text, limit));
}

function findCodePointEnd(text: string, limit: number): number {
  const isHalved = limit > 0 && (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return isHalved ? limit - 1 : limit;
}
