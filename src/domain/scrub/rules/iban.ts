// International bank account numbers (IBAN): country, length and check digits by the registry in ibantools.
import { countrySpecs, isValidIBAN } from 'ibantools';
import { textFeatures } from '../inspect.ts';
import { costs, type Rule, type TextSearch, type Span } from '../rule.ts';

const head = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g;
const alphanumeric = /[A-Za-z0-9]/;

export const ibanRule: Rule = { type: 'IBAN', needs: textFeatures.ibanHead, find: findIbans };

function findIbans(search: TextSearch): Span[] {
  const spans: Span[] = [];
  for (const match of search.matches(head)) {
    const length = countrySpecs[match[0].slice(0, 2).toUpperCase()]?.chars;
    const end = length ? endOf(search, match.index, length) : null;
    if (end !== null) spans.push({ start: match.index, end });
  }
  return spans;
}

/** The end of a valid IBAN of this length that starts here, with single spaces or hyphens between characters; null when there is none. */
function endOf({ text, work }: TextSearch, start: number, length: number): number | null {
  if (!work.take(4 * length)) return null;
  let compact = '';
  let at = start;
  while (compact.length < length) {
    const character = text[at] ?? '';
    if (alphanumeric.test(character)) compact += character;
    else if (!/[ -]/.test(character) || !alphanumeric.test(text[at + 1] ?? '')) return null;
    at++;
  }
  if (alphanumeric.test(text[at] ?? '') || !work.take(costs.checkDigits)) return null;
  return isValidIBAN(compact.toUpperCase()) ? at : null;
}
