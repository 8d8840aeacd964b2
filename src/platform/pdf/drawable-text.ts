// Makes texts drawable in a PDF: characters without a glyph become code points, which a reader can look up.

/** Draws the texts of one document. */
export interface TextDrawer {
  draw(text: string): string;
  /** Whether a text had characters without a glyph. */
  readonly hasReplaced: boolean;
}

/** Upper bound on spelled-out characters per document, since each takes seven letters; the rest is left out. */
const SPELLED_OUT = 20_000;
const LEFT_OUT = '[…]';
/** Longer words get break opportunities, since the library breaks wide words in quadratic time. */
const LONG_WORD = /\S{24}(?=\S)/gu;
const BREAK_HERE = '\u200b';
/** Control characters except line breaks, lone surrogates, and characters that change the text direction. */
const NOT_DRAWN = /[^\P{Cc}\n]|[\p{Cs}\p{Cf}\u2028\u2029]/gu;

/** `codePoints`: the code points for which all fonts of the document have a glyph. */
export function createTextDrawers(codePoints: readonly number[]): () => TextDrawer {
  const glyphs = codePoints.map((point) => `\\u{${point.toString(16)}}`).join('');
  const withoutGlyph = new RegExp(`[^\\n ${glyphs}]+`, 'gu');

  return () => {
    let spelledOut = 0;
    let hasReplaced = false;
    function toCodePoints(run: string): string {
      const characters = [...run];
      hasReplaced = true;
      if (spelledOut + characters.length > SPELLED_OUT) return LEFT_OUT;
      spelledOut += characters.length;
      return `[${characters.map(formatCodePoint).join(' ')}]`;
    }
    return {
      draw: (text) =>
        text
          .replaceAll(NOT_DRAWN, ' ')
          .replaceAll(withoutGlyph, toCodePoints)
          .replaceAll(LONG_WORD, `$&${BREAK_HERE}`),
      get hasReplaced() {
        return hasReplaced;
      },
    };
  };
}

/** Formats a character as `U+6F22`. */
function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
