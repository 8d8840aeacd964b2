// E-mail addresses: a sign `@` (or `%40`) with a mailbox before it and a domain name behind it.
import { textFeatures } from '../inspect.ts';
import { matchesOf, type Rule, type Span } from '../rule.ts';

const sign = /@|%40/g;
const domain =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}])/uy;
const mailbox = /[\p{L}\p{N}._%+'-]/u;
const first = /[\p{L}\p{N}_+]/u;

export const emailRule: Rule = { type: 'EMAIL', needs: textFeatures.at, find: findEmails };

function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of matchesOf(text, sign)) {
    const start = mailboxStart(text, from, match.index);
    domain.lastIndex = match.index + match[0].length;
    if (start === match.index || !domain.test(text)) continue;
    from = domain.lastIndex;
    spans.push({ start, end: from });
  }
  return spans;
}

/** Where the mailbox that ends at the sign begins, not before `from`; the sign itself when there is none. */
function mailboxStart(text: string, from: number, signAt: number): number {
  let start = signAt;
  while (start > from && mailbox.test(text[start - 1] ?? '')) start--;
  while (start < signAt && !first.test(text[start] ?? '')) start++;
  return start;
}
