// National id numbers: in the written form of their country, or after a label; with valid check digits.
import type { Work } from '@assay/patterns';
import { omitIdentifierParts, omitUuidParts } from '../identifiers.ts';
import { createLabelPattern } from './label.ts';
import { isDate, textFeatures } from '../inspect.ts';
import { nationalIdForms, type NationalIdForm } from './national-id-forms.ts';
import {
  type Candidates,
  costs,
  createCandidates,
  type Rule,
  toSpans,
  type TextSearch,
} from '../rule.ts';

const before = '(?<![A-Za-z0-9]|\\d[.-])';
const after = '(?![A-Za-z0-9]|[.-]\\d)';
/**
 * A label, then up to seven groups of letters and digits with one separator between them and a digit near the start.
 */
const afterLabel = createLabelPattern(
  'ssn',
  '(?=[A-Z]{0,6}[-+ ./]?\\d)[A-Z0-9]{1,20}(?:[-+ ./][A-Z0-9]{1,20}){0,6}',
);

/** Forms that can have fewer than eight digits in several words, so they need fewer features. */
const fewDigits: ReadonlySet<string> = new Set(['nino', 'hkid', 'nie']);

/** The work of testing a text for one form. */
const FORM = 6;

/** The rules for these countries (ISO 3166-1 alpha-2), all (true) or none (false). */
export function createNationalIdRules(countries: boolean | readonly string[]): Rule[] {
  const forms = nationalIdForms.filter(({ country }) =>
    typeof countries === 'boolean' ? countries : countries.includes(country),
  );
  if (forms.length === 0) return [];
  const isShort = ({ name }: NationalIdForm): boolean => fewDigits.has(name);
  const isNumber = createNumberCheck(forms);
  const short = createWrittenCandidates(forms.filter(isShort));
  const long = createWrittenCandidates(forms.filter((form) => !isShort(form)));
  const labelledNumbers = [
    omitUuidParts(
      createCandidates(afterLabel, (found, work) => findLongestValid(found, isNumber, work)),
    ),
  ];
  return [
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits8 | textFeatures.mixed,
      candidates: () => long,
    },
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits4 | textFeatures.mixed,
      candidates: () => short,
    },
    // Not digits8: letters may separate the digits, and a number may start with a date, as in 2024-05-24K.
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits4 | textFeatures.mixed,
      candidates: () => labelledNumbers,
    },
  ];
}

/** One pattern finds all written forms; each form then validates its matches. */
function createWrittenCandidates(forms: readonly NationalIdForm[]): readonly Candidates[] {
  const written = forms.flatMap((form) =>
    form.written === null
      ? []
      : [{ form, pattern: new RegExp(`(?:${form.written})${after}`, 'y') }],
  );
  if (written.length === 0) return [];
  const sources = new Set(written.map(({ form }) => form.written));
  const pattern = new RegExp(`${before}(?=(?:${[...sources].join('|')})${after})`, 'g');
  return [
    omitIdentifierParts({
      pattern,
      extractSpans: ({ index }, search) =>
        findLengths(index, search, written).flatMap((length) => toSpans(index, length)),
    }),
  ];
}

interface WrittenForm {
  form: NationalIdForm;
  /** A sticky pattern. */
  pattern: RegExp;
}

/** The lengths of the valid numbers that start here, one for each form. */
function findLengths(
  start: number,
  { text, work }: TextSearch,
  written: readonly WrittenForm[],
): number[] {
  if (!work.take(written.length * FORM)) return [];
  return written.flatMap(({ form, pattern }) => {
    pattern.lastIndex = start;
    const found = pattern.exec(text)?.[0];
    return found !== undefined && isValid(form, found.toUpperCase(), work) ? [found.length] : [];
  });
}

/** The length of the longest valid number made of whole groups; 0 when there is none. */
function findLongestValid(found: string, isNumber: NumberCheck, work: Work): number {
  const ends = [...found.matchAll(/[A-Z0-9](?![A-Z0-9])/gi)]
    .map(({ index }) => index + 1)
    .reverse();
  return ends.find((end) => isNumber(found.slice(0, end).toUpperCase(), work)) ?? 0;
}

type NumberCheck = (text: string, work: Work) => boolean;

/** A check for all forms. One common pattern rejects most texts at once. */
function createNumberCheck(forms: readonly NationalIdForm[]): NumberCheck {
  const sources = new Set(forms.map(({ compact }) => compact.source));
  const anyCompact = new RegExp([...sources].join('|'));
  return (text, work) => {
    const compact = text.replace(/[-+ ./]/g, '');
    const digits = text.replace(/\D/g, '').length;
    if (isDate(text) || compact.length > 20 || (digits < 8 && compact !== text)) return false;
    if (!work.take(forms.length * FORM)) return false;
    if (!anyCompact.test(text) && !anyCompact.test(compact)) return false;
    return forms.some(
      (form) =>
        (form.compact.test(text) && isValid(form, text, work)) ||
        (form.compact.test(compact) && isValid(form, compact, work)),
    );
  };
}

function isValid(form: NationalIdForm, text: string, work: Work): boolean {
  return work.ask(`${form.country} ${form.name} ${text}`, costs.checkDigits, () =>
    form.isValid(text),
  );
}
