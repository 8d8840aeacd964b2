// Phone numbers: international, in the written forms of some countries, or after a label.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js';
import type { Work } from '@assay/patterns';
import { createLabelPattern } from './label.ts';
import { omitIdentifierParts, omitUuidParts } from '../identifiers.ts';
import { isDate, textFeatures } from '../inspect.ts';
import { costs, createCandidates, type Rule } from '../rule.ts';
import { runWithoutStacks } from './without-stacks.ts';

const after = '(?![A-Za-z0-9]|[.-]\\d)';
/** Matches `+` or `00`, a country code, and seven to fifteen digits in all. */
const international = /(?:(?<!\d)\+|(?<![A-Za-z0-9]|\d[.-])00) ?[1-9](?:[ \-./()]{0,2}\d){7,14}/g;
/** 555-123-4567, (555) 123-4567, 1 555 123 4567. */
const northAmerican = new RegExp(
  `(?<![A-Za-z0-9]|\\d[.-])(?:1[-. ])?(?:\\(\\d{3}\\) ?|\\d{3}[-. ])\\d{3}[-. ]\\d{4}${after}`,
  'g',
);
/** A trunk prefix and groups: 020 7946 0958, 06 12 34 56 78, 0171-1234567, 03-1234-5678. */
const trunk = new RegExp(
  `(?<![A-Za-z0-9]|\\d[.-])\\(?0(?:[1-9](?:[ .-]\\d{2}){4}|\\d{1,4}\\)?[-/ ]\\d{3,8}(?:[- ]\\d{2,4}){0,2})${after}`,
  'g',
);
/** Countries whose numbers with a trunk prefix are recognised without a label. */
const trunkCountries: readonly CountryCode[] = [
  'FR',
  'GB',
  'DE',
  'NL',
  'BE',
  'CH',
  'AT',
  'SE',
  'AU',
  'JP',
];
const afterLabel = createLabelPattern('phone', `[+(]?\\d(?:[ \\-./()]{0,2}\\d){7,14}(?!\\d)`);

export const phoneRule: Rule = {
  type: 'PHONE',
  needs: textFeatures.digits8,
  candidates: () => numbers,
};

const numbers = [
  omitIdentifierParts(createCandidates(international, findInternationalLength)),
  omitIdentifierParts(createCandidates(northAmerican)),
  omitIdentifierParts(
    createCandidates(trunk, (found, work) => (isTrunkNumber(found, work) ? found.length : 0)),
  ),
  omitUuidParts(
    createCandidates(afterLabel, (found) =>
      isDate(found.replace(/^[+(]/, '')) ? 0 : found.length,
    ),
  ),
];

/**
 * The length of the longest run of whole groups with as many digits as the country code allows; 0 when there is none.
 */
function findInternationalLength(found: string, work: Work): number {
  let digits = found.replace(/^00|\D/g, '').length;
  for (let end = found.length; digits >= 8; end--) {
    if (!hasDigit(found, end - 1)) continue;
    if (!hasDigit(found, end) && isPossible(found.slice(0, end), work)) return end;
    digits--;
  }
  return 0;
}

function hasDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function isPossible(text: string, work: Work): boolean {
  const number = text.replace(/^00/, '+');
  return (
    !isDate(number.slice(1)) &&
    work.ask(number, costs.numberingPlan, () =>
      runWithoutStacks(() => parsePhoneNumberFromString(number)?.isPossible() === true),
    )
  );
}

function isTrunkNumber(text: string, work: Work): boolean {
  const digits = text.replace(/\D/g, '').length;
  return (
    digits >= 9 &&
    trunkCountries.some((country) =>
      work.ask(`${country} ${text}`, costs.numberingPlan, () =>
        runWithoutStacks(() => parsePhoneNumberFromString(text, country)?.isValid() === true),
      ),
    )
  );
}
