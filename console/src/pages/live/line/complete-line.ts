// What may follow what is typed in the search line: names of fields, and values that the organisation has.
import {
  FIELD_NAMES,
  type FieldName,
  findField,
  lookUpField,
  type Operator,
} from '../../../parts/search/search-fields.ts';
import { printPart, toOperator } from '../../../parts/search/search-line.ts';

/** Values by field, the likeliest first; a field that is missing has none that are known. */
export type KnownValues = Partial<Record<FieldName, readonly string[]>>;

export interface Suggestion {
  /** What stands in place of the last word. */
  text: string;
  /** What it searches by. */
  about: string;
  /** Whether a value is to follow. */
  isOpen: boolean;
}

const SHOWN_MAX = 16;
/** Values of other fields that begin with a word. */
const VALUES_OF_WORD = 6;

/** Where the last word begins: after the last space that no quotes hold. */
export function findLastWord(typed: string): number {
  let start = 0;
  let isQuoted = false;
  for (const [at, sign] of typed.split('').entries()) {
    if (/["“”„]/.test(sign)) isQuoted = !isQuoted;
    else if (/\s/.test(sign) && !isQuoted) start = at + 1;
  }
  return start;
}

/** `used`: fields that the line has already. */
export function completeLine(
  typed: string,
  values: KnownValues,
  used: ReadonlySet<FieldName>,
): Suggestion[] {
  const word = typed.slice(findLastWord(typed));
  const [, name, sign = ':', begun = ''] = /^([A-Za-z]+)(:?[<>]=?|:|=)(.*)$/s.exec(word) ?? [];
  const field = name === undefined ? null : findField(name);
  if (name !== undefined) return field ? completeValue({ field, sign, begun }, values) : [];
  const fields = listFields(word.toLowerCase(), used);
  return [...fields, ...listValues(word, values, used)].slice(0, SHOWN_MAX);
}

function listFields(word: string, used: ReadonlySet<FieldName>): Suggestion[] {
  const found = FIELD_NAMES.filter(
    (field) =>
      !used.has(field) &&
      (field.startsWith(word) ||
        (word.length > 2 && lookUpField(field).about.toLowerCase().includes(word))),
  );
  return found.map((field) => ({
    text: `${field}${findUsualOperator(field)}`,
    about: `${lookUpField(field).about}, as in ${lookUpField(field).example}`,
    isOpen: true,
  }));
}

/** The operator of the example. */
function findUsualOperator(field: FieldName): Operator {
  const { example, operators } = lookUpField(field);
  const written = /[:<>]=?/.exec(example)?.[0] as Operator | undefined;
  return written ?? operators[0] ?? ':';
}

function listValues(word: string, values: KnownValues, used: ReadonlySet<FieldName>): Suggestion[] {
  if (word.length < 2) return [];
  return FIELD_NAMES.filter((field) => !used.has(field)).flatMap((field) =>
    pickValues(values[field] ?? [], word)
      .slice(0, VALUES_OF_WORD)
      .map((value) => toSuggestion(field, ':', value)),
  );
}

/** Those that begin with a text, then those that have it elsewhere. */
function pickValues(values: readonly string[], text: string): string[] {
  const wanted = text.toLowerCase();
  const having = values.filter((value) => value.toLowerCase().includes(wanted));
  const isFirst = (value: string): boolean => value.toLowerCase().startsWith(wanted);
  return [...having.filter(isFirst), ...having.filter((value) => !isFirst(value))];
}

const toSuggestion = (field: FieldName, operator: Operator, value: string): Suggestion => ({
  text: printPart({ kind: 'field', field, operator, value }),
  about: lookUpField(field).about.split(/[,;]/)[0] ?? '',
  isOpen: false,
});

interface Begun {
  field: FieldName;
  sign: string;
  begun: string;
}

function completeValue({ field, sign, begun }: Begun, values: KnownValues): Suggestion[] {
  const { operators, choices = [] } = lookUpField(field);
  const written = toOperator(sign);
  const operator = operators.includes(written) ? written : findUsualOperator(field);
  const text = begun.replace(/^["“”„]/, '');
  const found = pickValues(values[field] ?? choices, text).slice(0, SHOWN_MAX);
  const suggestions = found.map((value) => toSuggestion(field, operator, value));
  const prefix = field === 'tool' ? listPrefixes(text, found) : [];
  return [...prefix, ...suggestions].slice(0, SHOWN_MAX);
}

/** All tools that begin as several do. */
function listPrefixes(text: string, found: readonly string[]): Suggestion[] {
  const begun = found.filter((name) => name.toLowerCase().startsWith(text.toLowerCase()));
  if (text === '' || text.includes('*') || begun.length < 2) return [];
  const suggestion = toSuggestion('tool', ':', `${text}*`);
  return [{ ...suggestion, about: 'All tools that begin so' }];
}
