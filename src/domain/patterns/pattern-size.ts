// How large a pattern becomes when its repetitions are written out: known before it is compiled, which takes time by that size.

/** The next piece: an escape, a class, the start or end of a group, a repetition, anything else. */
const piece =
  /\\(?:Q.*?(?:\\E|$)|[xpP]\{[^}]*\}|[pP][^]|[^])|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]])*\]|\((?:\?(?:P?<\w+>|[imsU-]*:?))?|\)|\{(\d+)(?:(,)(\d*))?\}|[^]/gu;

/** Instructions of the program, roughly and rather too many; the counts of nested repetitions multiply. */
export function writtenOutSize(source: string): number {
  /** Sizes of the open groups, and of the last piece in each. */
  const groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];
  for (const [text, from, , to] of source.matchAll(piece)) {
    const group = groups.at(-1)!;
    if (text.startsWith('(')) groups.push({ size: 0, last: 0 });
    else if (text === ')' && groups.length > 1) add(groups.at(-2)!, groups.pop()!.size + 1);
    else if (from === undefined) add(group, weightOf(text));
    else repeat(group, Math.max(Number(from), Number(to ?? 0), 1));
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}

const unicodeClass = /\\[pP]/g;
/** What a class such as `\p{L}` counts for: it has hundreds of ranges. */
const UNICODE_CLASS = 20;

function weightOf(text: string): number {
  if (text.startsWith('\\Q')) return text.length;
  return Math.max(1, UNICODE_CLASS * (text.match(unicodeClass)?.length ?? 0));
}

function add(group: { size: number; last: number }, size: number): void {
  group.size += size;
  group.last = size;
}

function repeat(group: { size: number; last: number }, times: number): void {
  const more = group.last * (times - 1);
  group.size += more;
  group.last += more;
}
