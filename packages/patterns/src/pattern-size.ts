// Estimates how large a pattern becomes with its repetitions expanded, before it is compiled at that cost.

/** The next piece: an escape, a class, the start or end of a group, a repetition, anything else. */
const piece =
  /\\(?:Q.*?(?:\\E|$)|[xpP]\{[^}]*\}|[pP][^]|[^])|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]])*\]|\((?:\?(?:P?<\w+>|[imsU-]*:?))?|\)|\{(\d+)(?:(,)(\d*))?\}|[^]/gu;

/** Estimates the instructions of the program, rather too many; the counts of nested repetitions multiply. */
export function estimateExpandedSize(source: string): number {
  /** Sizes of the open groups, and of the last piece in each. */
  const groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];
  for (const [text, from, , to] of source.matchAll(piece)) {
    const group = groups.at(-1)!;
    if (text.startsWith('(')) groups.push({ size: 0, last: 0 });
    else if (text === ')' && groups.length > 1) addPiece(groups.at(-2)!, groups.pop()!.size + 1);
    else if (from === undefined) addPiece(group, estimatePieceSize(text));
    else expandRepetition(group, Math.max(Number(from), Number(to ?? 0), 1));
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

const unicodeClass = /\\[pP]/g;
/** Instructions that a class such as `\p{L}` counts for: it has hundreds of ranges. */
const UNICODE_CLASS = 20;

function estimatePieceSize(text: string): number {
  if (text.startsWith('\\Q')) return text.length;
  return Math.max(1, UNICODE_CLASS * (text.match(unicodeClass)?.length ?? 0));
}

function addPiece(group: { size: number; last: number }, size: number): void {
  group.size += size;
  group.last = size;
}

function expandRepetition(group: { size: number; last: number }, times: number): void {
  const more = group.last * (times - 1);
  group.size += more;
  group.last += more;
}

const foldingFlag = /\(\?[a-zA-Z]*i/;
/** A range of a class; each bound is a hexadecimal escape or a character. */
const range = /(?:\\x\{([0-9a-fA-F]+)\}|([^]))-(?:\\x\{([0-9a-fA-F]+)\}|([^]))/gu;
/** The last character that has another case. */
const LAST_WITH_CASE = 0x1e943;
/** Characters whose other cases are looked up while a class such as `\p{L}` is made. */
const CHARACTERS_OF_CLASS = 4000;

/** Estimates the cost of a pattern's classes in classes such as `\p{L}`: once each, twice when case is ignored. */
export function estimateClassCost(source: string): number {
  const classes = source.match(unicodeClass)?.length ?? 0;
  if (!foldingFlag.test(source)) return classes;
  let characters = 0;
  for (const [, fromHex, from, toHex, to] of source.matchAll(range)) {
    const last = Math.min(toCodePoint(toHex, to), LAST_WITH_CASE);
    characters += Math.max(0, last - toCodePoint(fromHex, from));
  }
  return 2 * classes + characters / CHARACTERS_OF_CLASS;
}

const toCodePoint = (hex: string | undefined, character: string | undefined): number =>
  hex === undefined ? (character?.codePointAt(0) ?? 0) : Number.parseInt(hex, 16);
