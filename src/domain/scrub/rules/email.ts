// E-mail addresses: `@` (or `%40`) between a local part and a domain name.
import { textFeatures } from '../inspect.ts';
import { matchesOf, type Rule, type Span } from '../rule.ts';

const atSign = /@|%40/g;
const domain =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}])/uy;
const localPart = /[\p{L}\p{N}._%+'-]/u;
const localPartStart = /[\p{L}\p{N}_+]/u;

export const emailRule: Rule = { type: 'EMAIL', needs: textFeatures.at, find: findEmails };

function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of matchesOf(text, atSign)) {
    const start = localPartFrom(text, from, match.index);
    domain.lastIndex = match.index + match[0].length;
    if (start === match.index || !domain.test(text)) continue;
    from = domain.lastIndex;
    spans.push({ start, end: from });
  }
  return spans;
}

/** Where the local part before the at sign starts, at `from` or later; `signAt` when there is none. */
function localPartFrom(text: string, from: number, signAt: number): number {
  let start = signAt;
  while (start > from && localPart.test(text[start - 1] ?? '')) start--;
  while (start < signAt && !localPartStart.test(text[start] ?? '')) start++;
  return start;
}
