// The fields of the search line: what may be written behind each, and what to say where something else is.
import { isDay, isInstant, readDuration } from './search-times.ts';

export type Operator = ':' | '>' | '>=' | '<' | '<=';

export interface SearchField {
  /** What it searches by, for people. */
  about: string;
  /** How a part of it is written. */
  example: string;
  operators: readonly Operator[];
  /** Values that are suggested, or the only ones. */
  choices?: readonly string[];
  /** Absent: any text. Returns what is wrong with the value; null: nothing. */
  findFault?: (value: string, operator: Operator) => string | null;
}

const EQUAL = [':'] as const;
const COMPARE = [':', '>', '>=', '<', '<='] as const;
const NUMBER = /^\d{1,15}(\.\d{1,15})?$/;

/** One of a few words. */
const createChoice = (about: string, choices: readonly string[], name: string): SearchField => ({
  about,
  example: `${name}:${choices[0]}`,
  operators: EQUAL,
  choices,
  findFault: (value) =>
    choices.includes(value.toLowerCase()) ? null : `${name} is one of ${choices.join(', ')}`,
});

const createText = (about: string, example: string): SearchField => ({
  about,
  example,
  operators: EQUAL,
  findFault: (value) => (value.length > 200 ? 'A value has 200 characters at most' : null),
});

const createTime = (name: string, about: string): SearchField => ({
  about,
  example: `${name}:7d`,
  operators: EQUAL,
  choices: ['1h', '24h', '7d', '30d'],
  findFault: (value) =>
    readDuration(value) !== null || isDay(value) || isInstant(value)
      ? null
      : `${name} takes a span such as ${name}:7d or ${name}:12h, or a day such as ${name}:2026-11-30`,
});

export const SEARCH_FIELDS = {
  tool: createText('Tool by name; * at the end for all that begin so', 'tool:cancel_*'),
  status: createChoice('Verdict of today', ['held', 'approved', 'blocked'], 'status'),
  policy: createText('Policy that acted, by name', 'policy:"Money out"'),
  agent: createText('Agent by name', 'agent:support-bot'),
  amount: {
    about: 'Largest amount of the action',
    example: 'amount>=500',
    operators: COMPARE,
    findFault(value, operator) {
      if (!NUMBER.test(value)) return 'amount is compared with a number, such as amount>=500';
      const isBeyond = Number(value) === 0 && operator === '<';
      return isBeyond ? 'No amount is below 0: write amount<500 or amount>=500' : null;
    },
  },
  confidence: {
    about: 'Confidence, from 0 to 1',
    example: 'confidence<0.7',
    operators: COMPARE,
    findFault(value, operator) {
      const number = NUMBER.test(value) ? Number(value) : NaN;
      if (!(number >= 0 && number <= 1))
        return 'confidence is between 0 and 1, such as confidence<0.7';
      const isBeyond = (number === 1 && operator === '>') || (number === 0 && operator === '<');
      return isBeyond
        ? 'No confidence is beyond that: write confidence<0.7 or confidence>=0.9'
        : null;
    },
  },
  held: {
    about: 'Waits for a person for at least this span',
    example: 'held>1h',
    operators: ['>', '>='],
    choices: ['15m', '1h', '1d'],
    findFault: (value) =>
      readDuration(value) === null
        ? 'held takes a span, such as held>30m, held>1h or held>2d'
        : null,
  },
  by: createChoice('Who decided it', ['person', 'policy', 'undecided'], 'by'),
  tag: createText('What the engines found', 'tag:PII_EMAIL'),
  session: createText('Run or conversation', 'session:support-1001'),
  workspace: createText('Workspace by name', 'workspace:Production'),
  since: createTime('since', 'From a time on'),
  until: createTime('until', 'Up to a time'),
  corrected: createChoice('Whether a person changed it', ['yes', 'no'], 'corrected'),
  observed: createChoice('Whether it was reported after the act', ['yes', 'no'], 'observed'),
} as const satisfies Record<string, SearchField>;

export type FieldName = keyof typeof SEARCH_FIELDS;
export const FIELD_NAMES = Object.keys(SEARCH_FIELDS) as FieldName[];

/** Other names by which people know a field, and a value. */
const OTHER_NAMES: Readonly<Record<string, FieldName>> = {
  verdict: 'status',
  is: 'status',
  rule: 'policy',
  from: 'since',
  after: 'since',
  to: 'until',
  before: 'until',
  decidedby: 'by',
  score: 'confidence',
};
const OTHER_VALUES: Readonly<Record<string, string>> = { flagged: 'held', human: 'person' };

export const lookUpField = (name: FieldName): SearchField => SEARCH_FIELDS[name];

/** The field of a name as a person writes it; null: there is none. */
export function findField(written: string): FieldName | null {
  const name = written.toLowerCase();
  if (Object.hasOwn(SEARCH_FIELDS, name)) return name as FieldName;
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}

/** A value as it is kept: the words of a choice in small letters, and by their usual names. */
export function normalizeValue(name: FieldName, value: string): string {
  const field = lookUpField(name);
  if (!field.choices) return value;
  const word = value.toLowerCase();
  const usual = OTHER_VALUES[word] ?? word;
  return field.choices.includes(usual) ? usual : value;
}

/** The field whose name is nearest to a mistyped one; null: none is near. */
export function findNearestField(written: string): FieldName | null {
  const name = written.toLowerCase();
  const begun = FIELD_NAMES.find((field) => name.length > 1 && field.startsWith(name));
  return begun ?? FIELD_NAMES.find((field) => countChanges(name, field) <= 2) ?? null;
}

/** Letters to add, leave out or replace, to make one word of another. */
function countChanges(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from.slice(0, 20)].entries()) {
    const next = [at + 1];
    for (const [place, other] of [...to].entries()) {
      const [added = 0, left = 0, same = 0] = [next[place], row[place + 1], row[place]];
      next.push(Math.min(added + 1, left + 1, same + (other === letter ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
