// Texts as the fonts of a PDF can draw them: what has no glyph is written as code points, so that it can be read and looked up.

/** Draws the texts of one document. */
export interface TextDrawer {
  draw(text: string): string;
  /** Whether a text had characters without a glyph. */
  readonly hasReplaced: boolean;
}

/** Of one document, since a code point takes seven letters to draw; what comes after them is left out. */
const SPELLED_OUT = 20_000;
const LEFT_OUT = '[…]';
/** The library breaks a word that is wider than its place in quadratic time: it never sees one of more letters. */
const LONG_WORD = /\S{24}(?=\S)/gu;
const BREAK_HERE = '\u200b';
/** Control characters but line breaks, halves of pairs, and what turns the order of a line. */
const NOT_DRAWN = /[^\P{Cc}\n]|[\p{Cs}\p{Cf}\u2028\u2029]/gu;

/** `codePoints`: those that all fonts of the document have a glyph for. */
export function createTextDrawers(codePoints: readonly number[]): () => TextDrawer {
  const glyphs = codePoints.map((point) => `\\u{${point.toString(16)}}`).join('');
  const withoutGlyph = new RegExp(`[^\\n ${glyphs}]+`, 'gu');

  return () => {
    let spelledOut = 0;
    let hasReplaced = false;
    function spellOut(run: string): string {
      const characters = [...run];
      hasReplaced = true;
      if (spelledOut + characters.length > SPELLED_OUT) return LEFT_OUT;
      spelledOut += characters.length;
      return `[${characters.map(nameCodePoint).join(' ')}]`;
    }
    return {
      draw: (text) =>
        text
          .replaceAll(NOT_DRAWN, ' ')
          .replaceAll(withoutGlyph, spellOut)
          .replaceAll(LONG_WORD, `$&${BREAK_HERE}`),
      get hasReplaced() {
        return hasReplaced;
      },
    };
  };
}

/** `U+6F22`. */
function nameCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
