// International bank account numbers (IBAN): country, length and check digits by the registry in ibantools.
import { countrySpecs, isValidIBAN } from 'ibantools';
import { omitIdentifierParts } from '../identifiers.ts';
import { textFeatures } from '../inspect.ts';
import { type Candidates, costs, type Rule, toSpans, type TextSearch } from '../rule.ts';

const head = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}/g;
const alphanumeric = /[A-Za-z0-9]/;

export const ibanRule: Rule = {
  type: 'IBAN',
  needs: textFeatures.ibanHead,
  candidates: () => numbers,
};

const numbers: readonly Candidates[] = [
  omitPartedIdentifiers({
    pattern: head,
    extractSpans({ index, 0: found }, search) {
      const characters = countrySpecs[found.slice(0, 2).toUpperCase()]?.chars;
      return toSpans(index, characters ? findIbanLength(search, index, characters) : 0);
    },
  }),
];

/** An IBAN in one piece always counts; one with hyphens counts only outside identifiers, which may look like one. */
function omitPartedIdentifiers(candidates: Candidates): Candidates {
  const outside = omitIdentifierParts(candidates);
  return {
    pattern: candidates.pattern,
    extractSpans(match, search) {
      const spans = candidates.extractSpans(match, search);
      const isParted = spans.some(({ start, end }) => search.text.slice(start, end).includes('-'));
      return isParted ? outside.extractSpans(match, search) : spans;
    },
  };
}

/** The length of a valid IBAN that starts here, including single spaces or hyphens; 0 when there is none. */
function findIbanLength({ text, work }: TextSearch, start: number, characters: number): number {
  if (!work.take(4 * characters)) return 0;
  let compact = '';
  let at = start;
  while (compact.length < characters) {
    const character = text[at] ?? '';
    if (alphanumeric.test(character)) compact += character;
    else if (!/[ -]/.test(character) || !alphanumeric.test(text[at + 1] ?? '')) return 0;
    at++;
  }
  if (alphanumeric.test(text[at] ?? '') || !work.take(costs.checkDigits)) return 0;
  return isValidIBAN(compact.toUpperCase()) ? at - start : 0;
}
