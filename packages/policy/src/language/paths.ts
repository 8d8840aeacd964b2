// Field paths in the rule language: `outputDecision.alternatives[0]["unit price"]` is the field outputDecision.alternatives.0.unit price.
import type { Lexer } from './lexer.ts';
import { SourceError } from './source.ts';
import { parseTextLiteral } from './literals.ts';

/** Operations of a field, which are written like its members. */
export const METHODS = ['contains', 'matches', 'anyIn'] as const;
export type Method = (typeof METHODS)[number];

/** A path, and the operation that ends it. */
export interface ParsedPath {
  field: string;
  method: Method | null;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const index = /^(?:0|[1-9][0-9]*)$/;
/** Words that CEL refuses as the name of a member. */
const keywords = new Set(['true', 'false', 'null', 'in']);
/** Words that CEL refuses as the name of a variable. */
const reserved = new Set([
  ...keywords,
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop'],
  ...['namespace', 'package', 'return', 'var', 'void', 'while'],
]);

/** Prints the path of a field. */
export function printPath(field: string): string {
  const [root = '', ...below] = field.split('.');
  const first =
    plainName.test(root) && !reserved.has(root) ? root : `fact(${JSON.stringify(root)})`;
  return first + below.map(printMember).join('');
}

function printMember(segment: string): string {
  if (index.test(segment)) return `[${segment}]`;
  return plainName.test(segment) && !keywords.has(segment)
    ? `.${segment}`
    : `[${JSON.stringify(segment)}]`;
}

/** Parses the path at the lexer, up to its operator or operation. */
export function parsePath(lexer: Lexer): ParsedPath {
  const segments = [parseRoot(lexer)];
  for (;;) {
    if (lexer.takeIf('[')) {
      segments.push(parseIndex(lexer));
      lexer.requireToken(']');
    } else if (lexer.takeIf('.')) {
      const name = parseName(lexer);
      const method = lexer.isNext('(') ? findMethod(name, lexer) : null;
      if (method !== null) return { field: segments.join('.'), method };
      segments.push(name);
    } else return { field: segments.join('.'), method: null };
  }
}

function parseRoot(lexer: Lexer): string {
  const { kind, text, at } = lexer.lookAhead();
  if (kind !== 'name') throw lexer.createUnexpectedError('a field');
  if (reserved.has(text))
    throw new SourceError(at, `expected a field, found ${text}; write fact("${text}")`);
  lexer.takeToken();
  if (text !== 'fact' || !lexer.takeIf('(')) return text;
  const root = parseSegment(lexer);
  lexer.requireToken(')');
  return root;
}

function parseIndex(lexer: Lexer): string {
  const { kind, text, at } = lexer.lookAhead();
  if (kind !== 'number') return parseSegment(lexer);
  if (!index.test(text)) throw new SourceError(at, 'an index is a whole number from 0');
  return lexer.takeToken().text;
}

function parseName(lexer: Lexer): string {
  if (lexer.lookAhead().kind !== 'name') throw lexer.createUnexpectedError('a name');
  return lexer.takeToken().text;
}

function parseSegment(lexer: Lexer): string {
  const { at } = lexer.lookAhead();
  const segment = parseTextLiteral(lexer);
  if (segment === '' || segment.includes('.'))
    throw new SourceError(at, 'a name is not empty, and one that holds a dot cannot be reached');
  return segment;
}

function findMethod(name: string, lexer: Lexer): Method {
  const method = METHODS.find((known) => known === name);
  if (method === undefined)
    throw lexer.createUnexpectedError(`an operator: ${name}() is none of ${METHODS.join(', ')}`);
  return method;
}
