// National id numbers: in the written form of their country, or after a label; with valid check digits.
import { labelled } from './label.ts';
import { isDate, textFeatures } from '../inspect.ts';
import { nationalIdForms, type NationalIdForm } from './national-id-forms.ts';
import { matchesOf, spansOf, type Rule, type Span } from '../rule.ts';

const before = '(?<![A-Za-z0-9]|\\d[.-])';
const after = '(?![A-Za-z0-9]|[.-]\\d)';
/** After a label: up to seven groups of letters and digits, one separator between them, with a digit near the start. */
const afterLabel = labelled(
  'ssn',
  '(?=[A-Z]{0,6}[-+ ./]?\\d)[A-Z0-9]{1,20}(?:[-+ ./][A-Z0-9]{1,20}){0,6}',
);

/** Forms that can have fewer than eight digits in several words, and so need fewer features. */
const fewDigits: ReadonlySet<string> = new Set(['nino', 'hkid', 'nie']);

/** The rules for these countries (ISO 3166-1 alpha-2), all (true) or none (false). */
export function nationalIdRules(countries: boolean | readonly string[]): Rule[] {
  const forms = nationalIdForms.filter(({ country }) =>
    typeof countries === 'boolean' ? countries : countries.includes(country),
  );
  if (forms.length === 0) return [];
  const isShort = ({ name }: NationalIdForm): boolean => fewDigits.has(name);
  const short = forms.filter(isShort);
  const long = forms.filter((form) => !isShort(form));
  return [
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits8 | textFeatures.mixed,
      find: writtenFinder(long),
    },
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits4 | textFeatures.mixed,
      find: writtenFinder(short),
    },
    // Not digits8: letters may separate the digits, and a number may start with a date, as in 2024-05-24K.
    {
      type: 'NATIONAL_ID',
      needs: textFeatures.digits4 | textFeatures.mixed,
      find: (text) => spansOf(text, afterLabel, (found) => longestValid(found, forms)),
    },
  ];
}

/** Finds candidates by one pattern of all written forms, then validates each form. */
function writtenFinder(forms: readonly NationalIdForm[]): (text: string) => Span[] {
  const written = forms.flatMap((form) =>
    form.written === null
      ? []
      : [{ form, pattern: new RegExp(`(?:${form.written})${after}`, 'y') }],
  );
  if (written.length === 0) return () => [];
  const sources = new Set(written.map(({ form }) => form.written));
  const candidate = new RegExp(`${before}(?=(?:${[...sources].join('|')})${after})`, 'g');
  return (text) => {
    const spans: Span[] = [];
    for (const { index } of matchesOf(text, candidate)) {
      for (const { form, pattern } of written) {
        pattern.lastIndex = index;
        const found = pattern.exec(text)?.[0];
        if (found !== undefined && form.isValid(found.toUpperCase()))
          spans.push({ start: index, end: index + found.length });
      }
    }
    return spans;
  };
}

/** The length of the longest valid number made of whole groups; 0 when there is none. */
function longestValid(found: string, forms: readonly NationalIdForm[]): number {
  const ends = [...found.matchAll(/[A-Z0-9](?![A-Z0-9])/gi)]
    .map(({ index }) => index + 1)
    .reverse();
  return ends.find((end) => isNumber(found.slice(0, end).toUpperCase(), forms)) ?? 0;
}

function isNumber(text: string, forms: readonly NationalIdForm[]): boolean {
  const compact = text.replace(/[-+ ./]/g, '');
  const digits = text.replace(/\D/g, '').length;
  if (isDate(text) || compact.length > 20 || (digits < 8 && compact !== text)) return false;
  return forms.some(
    (form) =>
      (form.compact.test(text) && form.isValid(text)) ||
      (form.compact.test(compact) && form.isValid(compact)),
  );
}
