// Searches a text for another in linear time; the engine's own search is quadratic on texts such as aaa...b...aaa.

/** The engine searches for texts up to this length, in at most this multiple of the length of the searched text. */
export const SHORT = 16;

/** A search for one text in others. */
export function createTextSearch(part: string): (text: string) => boolean {
  if (part.length <= SHORT) return (text) => text.includes(part);
  let borders: Int32Array | null = null;
  return (text) =>
    text.length >= part.length && hasOccurrence(part, text, (borders ??= computeBorders(part)));
}

/** Knuth, Morris and Pratt: for each length of a beginning, the longest shorter beginning that it ends with. */
function computeBorders(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    const unit = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched++;
    borders[at] = matched;
  }
  return borders;
}

function hasOccurrence(part: string, text: string, borders: Int32Array): boolean {
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched === part.length) return true;
  }
  return false;
}
