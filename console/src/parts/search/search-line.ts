// The search line: `tool:cancel_* amount>=500 words "a phrase" -without`, read into parts and written from them.
import {
  type FieldName,
  findField,
  findNearestField,
  lookUpField,
  normalizeValue,
  type Operator,
} from './search-fields.ts';

export interface FieldPart {
  kind: 'field';
  field: FieldName;
  operator: Operator;
  value: string;
}

/** A word or a phrase that is in the decision, or is not. */
export interface TextPart {
  kind: 'text';
  text: string;
  isWithout: boolean;
}

/** What cannot be searched, as it was written, and what would be right. */
export interface FaultyPart {
  kind: 'fault';
  text: string;
  message: string;
}

export type SearchPart = FieldPart | TextPart | FaultyPart;

/** The most characters of a line. */
export const LINE_MAX = 2000;

const QUOTES = /["“”„]/;
const FIELD = /^([A-Za-z]+)(:?[<>]=?|:|=)/;

/** Reads the parts of a line in order; what cannot be searched is a part as well. */
export function parseLine(line: string): SearchPart[] {
  const parts: SearchPart[] = [];
  let rest = line.slice(0, LINE_MAX).trimStart();
  while (rest !== '') {
    const { part, length } = readPart(rest);
    parts.push(part);
    rest = rest.slice(length).trimStart();
  }
  return parts;
}

interface Read {
  part: SearchPart;
  length: number;
}

function readPart(rest: string): Read {
  const isWithout = /^-\S/.test(rest);
  const at = isWithout ? 1 : 0;
  const [opening, name = '', sign = ''] = FIELD.exec(rest.slice(at)) ?? [];
  if (opening === undefined) return readText(rest, at);
  const valueAt = at + opening.length;
  const value = readValue(rest, valueAt);
  const written = rest.slice(0, value.end);
  const read = { name, operator: toOperator(sign), ...value };
  const part = isWithout ? describeExclusion(written, name) : toFieldPart(written, read);
  return { part, length: value.end };
}

/** The operator that a sign of the line stands for: `=` is `:`, and `:>` is `>`. */
export const toOperator = (sign: string): Operator =>
  sign === '=' ? ':' : ((sign.replace(/^:(?=.)/, '') || ':') as Operator);

interface Value {
  value: string;
  end: number;
  isOpen: boolean;
}

/** A value in quotes, or up to the next space. */
function readValue(rest: string, at: number): Value {
  if (QUOTES.test(rest.charAt(at))) return readQuoted(rest, at);
  const [value = ''] = /^\S*/.exec(rest.slice(at)) ?? [];
  return { value, end: at + value.length, isOpen: false };
}

/** What stands between quotes; a backslash takes the next quote or backslash as it is. */
function readQuoted(rest: string, at: number): Value {
  let value = '';
  for (let end = at + 1; end < rest.length; end += 1) {
    const sign = rest.charAt(end);
    if (QUOTES.test(sign)) return { value, end: end + 1, isOpen: false };
    const isEscape = sign === '\\' && /["“”„\\]/.test(rest.charAt(end + 1));
    if (isEscape) end += 1;
    value += rest.charAt(end);
  }
  return { value, end: rest.length, isOpen: true };
}

function readText(rest: string, at: number): Read {
  const isQuoted = QUOTES.test(rest.charAt(at));
  const { value, end, isOpen } = isQuoted ? readQuoted(rest, at) : readWord(rest, at);
  const written = rest.slice(0, end);
  if (isOpen) return { part: createFault(written, MESSAGES.open), length: end };
  const isEmpty = value.trim() === '';
  const text: TextPart = { kind: 'text', text: value, isWithout: at === 1 };
  return { part: isEmpty ? createFault(written, MESSAGES.empty) : text, length: end };
}

function readWord(rest: string, at: number): Value {
  const [value = ''] = /^[^\s"“”„]+/.exec(rest.slice(at)) ?? [];
  return { value, end: at + value.length, isOpen: false };
}

const MESSAGES = {
  open: 'The quotes are not closed: add " at the end',
  empty: 'There is nothing between the quotes: write the words in them, or leave them out',
} as const;

const createFault = (text: string, message: string): FaultyPart => ({
  kind: 'fault',
  text,
  message,
});

const describeExclusion = (written: string, name: string): FaultyPart =>
  createFault(
    written,
    findField(name) === null
      ? `Put it in quotes to leave it out as a text: -"${written.slice(1, 60)}"`
      : `Only words can be left out, as in -refund: take the - from ${name}`,
  );

function describeUnknown(written: string, name: string): FaultyPart {
  const near = findNearestField(name);
  const meant = near === null ? '' : ` Did you mean ${near}, as in ${lookUpField(near).example}?`;
  const quoted = `"${written.replaceAll(/["“”„\\]/g, '').slice(0, 60)}"`;
  return createFault(
    written,
    `There is no field ${name}.${meant} To search for the text, put it in quotes: ${quoted}`,
  );
}

function toFieldPart(
  written: string,
  { name, operator, value, isOpen }: Value & { name: string; operator: Operator },
): SearchPart {
  const field = findField(name);
  if (field === null) return describeUnknown(written, name);
  if (isOpen) return createFault(written, MESSAGES.open);
  const fault = findPartFault(field, operator, normalizeValue(field, value));
  if (fault !== null) return createFault(written, fault);
  return { kind: 'field', field, operator, value: normalizeValue(field, value) };
}

function findPartFault(name: FieldName, operator: Operator, value: string): string | null {
  const { operators, example, findFault } = lookUpField(name);
  if (value.trim() === '') return `${name} has no value: write it as ${example}`;
  if (!operators.includes(operator))
    return `${name} is not compared by ${operator}: write it as ${example}`;
  return findFault?.(value, operator) ?? null;
}

const toQuoted = (text: string): string => `"${text.replaceAll(/["“”„\\]/g, String.raw`\$&`)}"`;

const isPlain = (text: string): boolean => /^[^\s"“”„-][^\s"“”„]*$/.test(text) && !FIELD.test(text);

/** One part as a person writes it; read again, it is the same. */
export function printPart(part: SearchPart): string {
  if (part.kind === 'fault') return part.text;
  if (part.kind === 'text') {
    const text = isPlain(part.text) ? part.text : toQuoted(part.text);
    return part.isWithout ? `-${text}` : text;
  }
  const { field, operator, value } = part;
  const isBare = /^[^\s"“”„<>=]\S*$/.test(value);
  return `${field}${operator}${isBare ? value : toQuoted(value)}`;
}

/** The line of some parts. What is faulty comes last: quotes that are not closed would take in what follows. */
export function printLine(parts: readonly SearchPart[]): string {
  const sound = parts.filter(({ kind }) => kind !== 'fault');
  const faulty = parts.filter(({ kind }) => kind === 'fault');
  return [...sound, ...faulty].map(printPart).join(' ');
}
