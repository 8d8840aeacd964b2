// National id numbers: their validators in stdnum, compact forms, and written forms recognised without a label.
import { stdnum } from 'stdnum';
import { runWithoutStacks } from './without-stacks.ts';

export interface NationalIdForm {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The usual name in lower case, as in stdnum. */
  name: string;
  /** The form in upper case without separators, recognised after a label. */
  compact: RegExp;
  /** Source of the form that is recognised without a label; null where the check digits are too weak. */
  written: string | null;
  /** Whether check digits (and date) of a number in upper case, with or without separators, are valid. */
  isValid(text: string): boolean;
}

/** Thirteen digits that are not a time in milliseconds between 2014 and 2033. */
const thirteen = '(?!1[4-9]\\d{11})\\d{13}';
const sixFour = '\\d{6}-\\d{4}';

/** Country, name in stdnum, compact form, written form; in any order. */
const rows: readonly (readonly [
  country: keyof typeof stdnum,
  name: string,
  compact: string,
  written: string | null,
])[] = [
  ['AR', 'cuit', '\\d{11}', '\\d{2}-\\d{8}-\\d'],
  ['AR', 'dni', '\\d{8}', null],
  ['AT', 'vnr', '\\d{10}', '\\d{4} \\d{6}'],
  ['AU', 'tfn', '\\d{9}', null],
  ['BA', 'jmbg', '\\d{13}', thirteen],
  ['BE', 'insz', '\\d{11}', '\\d{2}\\.?\\d{2}\\.?\\d{2}-?\\d{3}\\.?\\d{2}'],
  ['BG', 'egn', '\\d{10}', null],
  ['BR', 'cpf', '\\d{11}', '\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}'],
  ['CA', 'sin', '\\d{9}', '\\d{3}-\\d{3}-\\d{3}'],
  ['CH', 'ssn', '756\\d{10}', '756\\.?\\d{4}\\.?\\d{4}\\.?\\d{2}'],
  ['CL', 'run', '\\d{8}[\\dK]', '\\d{2}\\.\\d{3}\\.\\d{3}-[\\dKk]'],
  ['CN', 'ric', '\\d{17}[\\dX]', '\\d{17}[\\dXx]'],
  ['CO', 'nit', '\\d{8,10}', null],
  ['CU', 'ni', '\\d{11}', null],
  ['CZ', 'rc', '\\d{9,10}', '\\d{6}/\\d{3,4}'],
  ['DE', 'idnr', '\\d{11}', '\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}'],
  ['DE', 'svnr', '\\d{8}[A-Z]\\d{3}', '\\d{2} ?\\d{6} ?[A-Z] ?\\d{3}'],
  ['DK', 'cpr', '\\d{10}', sixFour],
  ['DO', 'cedula', '\\d{11}', '\\d{3}-\\d{7}-\\d'],
  ['EC', 'ci', '\\d{10}', null],
  ['EE', 'ik', '\\d{11}', null],
  ['ES', 'dni', '\\d{8}[A-Z]', '\\d{8}-?[A-Z]'],
  ['ES', 'nie', '[XYZ]\\d{7}[A-Z]', '[XYZ]-?\\d{7}-?[A-Z]'],
  ['FI', 'hetu', '\\d{6}[-+A-FU-Y]\\d{3}[0-9A-Z]', '\\d{6}[-+A-FU-Y]\\d{3}[0-9A-Z]'],
  [
    'FR',
    'nir',
    '[12]\\d{4}[\\dAB]{2}\\d{8}',
    '[12] ?\\d{2} ?\\d{2} ?\\d[\\dAB] ?\\d{3} ?\\d{3} ?\\d{2}',
  ],
  ['GB', 'nino', '[A-Z]{2}\\d{6}[A-D]', '[A-Z]{2} ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]'],
  ['GR', 'amka', '\\d{11}', null],
  ['HK', 'hkid', '[A-Z]{1,2}\\d{6}[\\dA]', '[A-Z]{1,2}\\d{6}\\([\\dA]\\)'],
  ['HR', 'oib', '\\d{11}', null],
  ['IE', 'pps', '\\d{7}[A-W][A-IW]?', '\\d{7}[A-W][A-IW]?'],
  ['IL', 'idnr', '\\d{8,9}', null],
  ['IN', 'aadhaar', '\\d{12}', '(?<!\\d )[2-9]\\d{3} \\d{4} \\d{4}(?! \\d)'],
  ['IN', 'pan', '[A-Z]{3}P[A-Z]\\d{4}[A-Z]', '[A-Z]{3}P[A-Z]\\d{4}[A-Z]'],
  ['IS', 'kennitala', '\\d{10}', sixFour],
  [
    'IT',
    'codicefiscale',
    '[A-Z]{6}\\d{2}[A-Z]\\d{2}[A-Z]\\d{3}[A-Z]',
    '[A-Za-z]{6}\\d{2}[A-Za-z]\\d{2}[A-Za-z]\\d{3}[A-Za-z]',
  ],
  ['KR', 'rrn', '\\d{13}', `\\d{6}-\\d{7}|${thirteen}`],
  ['LT', 'asmens', '\\d{11}', null],
  ['LV', 'pvn', '\\d{11}', '\\d{6}-\\d{5}'],
  ['ME', 'jmbg', '\\d{13}', thirteen],
  ['MK', 'jmbg', '\\d{13}', thirteen],
  ['MX', 'curp', '[A-Z]{4}\\d{6}[A-Z]{6}[A-Z\\d]\\d', '[A-Z]{4}\\d{6}[HM][A-Z]{5}[A-Z\\d]\\d'],
  ['MX', 'rfc', '[A-Z]{4}\\d{6}[A-Z\\d]{3}', null],
  ['MY', 'nric', '\\d{12}', '\\d{6}-\\d{2}-\\d{4}'],
  ['NL', 'bsn', '\\d{9}', null],
  ['NO', 'fodselsnummer', '\\d{11}', '\\d{6} ?\\d{5}'],
  ['NZ', 'ird', '\\d{8,9}', null],
  ['PE', 'cui', '\\d{9}', null],
  ['PK', 'cnic', '\\d{13}', '\\d{5}-\\d{7}-\\d'],
  ['PL', 'pesel', '\\d{11}', '\\d{11}'],
  ['PT', 'cc', '\\d{9}[A-Z\\d]{2}\\d', '\\d{8} ?\\d ?[A-Z]{2}\\d'],
  ['PT', 'nif', '\\d{9}', null],
  ['RO', 'cnp', '\\d{13}', thirteen],
  ['RS', 'jmbg', '\\d{13}', thirteen],
  ['RU', 'inn', '\\d{12}', null],
  ['SE', 'personnummer', '\\d{6}[-+]?\\d{4}|\\d{8}[-+]?\\d{4}', '(?:\\d{2})?\\d{6}[-+]\\d{4}'],
  ['SI', 'emso', '\\d{13}', thirteen],
  ['SK', 'rc', '\\d{9,10}', '\\d{6}/\\d{3,4}'],
  ['TH', 'idnr', '\\d{13}', '\\d-\\d{4}-\\d{5}-\\d{2}-\\d'],
  ['TR', 'tckimlik', '\\d{11}', null],
  ['TW', 'natid', '[A-Z][1289]\\d{8}', null],
  ['UA', 'rntrc', '\\d{10}', null],
  ['US', 'ssn', '\\d{9}', '\\d{3}-\\d{2}-\\d{4}'],
  ['UY', 'cedula', '\\d{8}', '\\d\\.\\d{3}\\.\\d{3}-\\d'],
  ['ZA', 'idnr', '\\d{13}', thirteen],
];

/** All recognised forms. */
export const nationalIdForms: readonly NationalIdForm[] = rows.map(
  ([country, name, compact, written]) => ({
    country,
    name,
    compact: new RegExp(`^(?:${compact})$`),
    written,
    isValid: createValidator(country, name),
  }),
);

/** @throws Error at start when stdnum has no such number */
function createValidator(country: string, name: string): (text: string) => boolean {
  const found = stdnum[country]?.[name];
  if (found === undefined) throw new Error(`stdnum has no ${country} ${name}`);
  return (text) => runWithoutStacks(() => found.validate(text).isValid);
}
