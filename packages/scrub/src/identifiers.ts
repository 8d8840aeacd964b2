// Excludes numbers inside identifiers, such as `SO-47110-4111-1111-1111-1111`, `req_4111111111111111` or a UUID.
import { type Candidates, costs, type Span, type TextSearch } from './rule.ts';

/** The number of characters read before and after a number. */
const REACH = 128;

/** Words that announce what follows them, so that `card-4111...` stays a card number. */
const announcing = new Set(
  `account bank bic bsn call card cards carte cc cell cpf credit debit dni fax iban id karte maestro mastercard mc mob mobile nino no nr
  number pan pesel phone sin ssn tel telefon vat visa`.split(/\s+/),
);
/** Words that begin identifiers, in any case; other words do in capitals. */
const identifying = new Set(
  `asset batch bill build case claim commit delivery doc event evt inv invoice item job lot msg ord order parcel part po pr product quote ref
  release req request rma run session shipment sku so span task ticket trace tracking tx txn uuid`.split(
    /\s+/,
  ),
);
/** The extension of a telephone number. */
const extension = /^(?:x|ext)\d{1,6}$/i;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Leaves out candidates that are part of a longer identifier. */
export function omitIdentifierParts({ pattern, extractSpans }: Candidates): Candidates {
  return {
    pattern,
    extractSpans: (match, search) =>
      extractSpans(match, search).filter((span) => !isPartOfIdentifier(span, search)),
  };
}

/** Leaves out candidates inside a UUID, the only exception for values after a label. */
export function omitUuidParts({ pattern, extractSpans }: Candidates): Candidates {
  return {
    pattern,
    extractSpans: (match, search) =>
      extractSpans(match, search).filter((span) => {
        const { before, behind } = findNeighbours(span, search);
        return !uuid.test(before + search.text.slice(span.start, span.end) + behind);
      }),
  };
}

function isPartOfIdentifier(span: Span, search: TextSearch): boolean {
  if (!search.work.take(costs.match)) return false;
  const { before, behind } = findNeighbours(span, search);
  const [leading, trailing] = [before, behind].map((text) =>
    text.split('-').filter((piece) => piece !== ''),
  ) as [string[], string[]];
  if (announcing.has(leading.at(-1)?.toLowerCase() ?? '')) return false;
  if (isNamedIdentifier(span, search) || leading.some((piece) => /\d/.test(piece))) return true;
  if (leading.some(isIdentifierStart)) return true;
  return !isAddition(trailing) && trailing.some((piece) => /\d/.test(piece));
}

/** Whether a word that begins identifiers is joined by an underscore: `order_4111111111111111`. */
function isNamedIdentifier({ start }: Span, { text }: TextSearch): boolean {
  if (text[start - 1] !== '_') return false;
  const word = text.slice(findWordStart(text, start - 1), start - 1);
  return identifying.has(word.toLowerCase());
}

function isIdentifierStart(word: string): boolean {
  const lower = word.toLowerCase();
  if (announcing.has(lower)) return false;
  return identifying.has(lower) || /^[A-Z]{1,6}$/.test(word);
}

/** Whether the parts are an expiry date, a security code or an extension. */
function isAddition(trailing: readonly string[]): boolean {
  if (trailing.length === 1 && extension.test(trailing[0]!)) return true;
  return /^\d{1,4}$/.test(trailing.join(''));
}

/** The texts joined to a span by single hyphens on either side. */
function findNeighbours(
  { start, end }: Span,
  { text }: TextSearch,
): { before: string; behind: string } {
  return {
    before: text.slice(findWordsStart(text, start), start),
    behind: /^[A-Za-z0-9]*(?:-[A-Za-z0-9]+)*/.exec(text.slice(end, end + REACH))?.[0] ?? '',
  };
}

/** Finds where the letters and digits before an offset begin. */
function findWordStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && end - at < REACH && isWordCode(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** Finds where the words joined by single hyphens before an offset begin. A pattern takes a third of all scrubbing. */
function findWordsStart(text: string, end: number): number {
  let at = findWordStart(text, end);
  while (at > 1 && end - at < REACH && text[at - 1] === '-' && isWordCode(text.charCodeAt(at - 2)))
    at = findWordStart(text, at - 1);
  return Math.max(at, end - REACH);
}

/** Whether it is the code of an ASCII letter or digit. */
function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
