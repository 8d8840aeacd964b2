// Splits texts of any script into search terms: folded alike (NFKC, case, accents), and segmented without blanks.

/** Characters of a text that are searched. */
const TEXT_MAX = 60_000;
/** Upper bound of a folded text: a ligature may become eighteen letters. */
const FOLDED_MAX = 2 * TEXT_MAX;
/** Characters that are folded at once: some milliseconds when each becomes eighteen letters. */
const PIECE = 1_000;
/** Most characters that a piece leaves to the next one to keep a character with its marks. */
const MARKS_MAX = 64;

const ASCII = /^[\0-\x7f]*$/;
/** Accents, points and vowel signs that are left out by many writers. Marks of other scripts make another word, and so do those of kana. */
const ACCENT = /(?![\u3099\u309a])(?=\p{M})[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}]/gu;
/** Soft hyphens, joiners, selectors; a zero width space ends a word. */
const INVISIBLE = /(?!\u200b)\p{Default_Ignorable_Code_Point}/gu;
/** The vowel AM of Thai and Lao, which compatibility forms take apart. */
const THAI_AM = /\u0e4d\u0e32/g;
const LAO_AM = /\u0ecd\u0eb2/g;
/** Code units that belong to the character before them. */
const CONTINUATION = /[\p{M}\u1160-\u11ff\uff9e\uff9f\udc00-\udfff]/u;

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Scripts without blanks, Hangul, and all others. */
const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]';
const HANGUL = '\\p{sc=Hang}';
const RUN = new RegExp(`(${UNSPACED}+)|(${HANGUL}+)|(?:(?!${UNSPACED}|${HANGUL}).)+`, 'gsu');
const HAS_RUNS = new RegExp(`${UNSPACED}|${HANGUL}`, 'u');
const TWO_SYLLABLES = new RegExp(`^${HANGUL}{2}`, 'u');
/** Particles behind two syllables or another script; behind less they may be words of their own. */
const PARTICLE = new RegExp(
  `(?<=${HANGUL}{2}|[^${HANGUL}])(?:에게서|한테서|으로서|으로써|이라고|에서|에게|한테|께서|으로|까지|부터|처럼|보다|마다|이나|이랑|라고|은|는|이|가|을|를|의|에|로|와|과|도|만)$`,
  'u',
);

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** Characters that the segmenter sees at once: its time grows faster than its text, and these take it a millisecond. */
const WINDOW = 512;
/** Words this close to the end of a window may be cut short. */
const WINDOW_MARGIN = 64;

/** The words of a text, folded, in their order. */
export function readWords(text: string): string[] {
  return [...foldPieces(text)].join('').match(WORD) ?? [];
}

/** The same, for long texts: `pause` is awaited after each piece of some milliseconds. */
export async function readLongWords(text: string, pause: () => Promise<void>): Promise<string[]> {
  let folded = '';
  for (const piece of foldPieces(text)) {
    folded += piece;
    await pause();
  }
  return folded.match(WORD) ?? [];
}

/** The pieces of a folded text. */
function* foldPieces(whole: string): Generator<string, void> {
  const text = whole.slice(0, TEXT_MAX);
  if (ASCII.test(text)) return yield text.toLowerCase();
  let length = 0;
  for (let from = 0; from < text.length && length < FOLDED_MAX;) {
    const end = findPieceEnd(text, from);
    const piece = foldPiece(text.slice(from, end));
    length += piece.length;
    from = end;
    yield piece;
  }
}

function findPieceEnd(text: string, from: number): number {
  const most = from + PIECE;
  if (most >= text.length) return text.length;
  let end = most;
  while (end > most - MARKS_MAX && CONTINUATION.test(text.charAt(end))) end -= 1;
  return end;
}

/** Full case folding goes by upper case: `ß` is `ss`, and `ı` is `i` as `İ` is. */
function foldPiece(text: string): string {
  return text
    .normalize('NFKD')
    .replace(ACCENT, '')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
    .replace(THAI_AM, '\u0e33')
    .replace(LAO_AM, '\u0eb3');
}

/**
 * The terms that index a word: itself, or its segments in scripts without blanks, or for Hangul the first syllable and
 * each pair of neighbours, since particles, endings and compounds are written without a blank.
 */
export function* splitTerms(word: string): Generator<string, void> {
  if (!HAS_RUNS.test(word)) return yield word;
  for (const [run, unspaced, hangul] of word.matchAll(RUN)) {
    if (unspaced !== undefined) yield* splitSegments(unspaced);
    else if (hangul === undefined) yield run;
    else {
      yield hangul.charAt(0);
      for (let at = 1; at < hangul.length; at++) yield hangul.slice(at - 1, at + 1);
    }
  }
}

function* splitSegments(run: string): Generator<string, void> {
  if (run.length === 1) return yield run;
  for (let from = 0; from < run.length;) {
    const window = run.slice(from, from + WINDOW);
    const sure = from + WINDOW < run.length ? WINDOW - WINDOW_MARGIN : WINDOW;
    let taken = 0;
    for (const { segment } of segmenter.segment(window)) {
      if (taken > 0 && taken + segment.length > sure) break;
      yield segment;
      taken += segment.length;
    }
    from += taken;
  }
}

/** The adjacent terms that look up a query word; Hangul is found without its particle, anywhere in a word. */
export function toQueryTerms(word: string): string[] {
  const bare = word.replace(PARTICLE, '');
  const terms = [...splitTerms(bare)];
  return TWO_SYLLABLES.test(bare) ? terms.slice(1) : terms;
}
