// Literals of the rule language: JSON values, and patterns such as r"\d+" in which a backslash is a character.
import { type Json, MAX_DEPTH, parseSafeJson, UnsafeJson } from '@assay/json';
import type { Lexer, Token } from './lexer.ts';
import { SourceError } from './source.ts';

const KEYWORDS = new Set(['true', 'false', 'null']);

/** Parses the JSON value at the lexer; comments and blanks may stand anywhere within it. */
export function parseLiteral(lexer: Lexer): Json {
  const { at } = lexer.lookAhead();
  const parts: string[] = [];
  collect(lexer, parts, 1);
  return parseJsonValue(parts.join(''), at);
}

/** Parses the text at the lexer. */
export function parseTextLiteral(lexer: Lexer): string {
  const { kind, text, at } = lexer.lookAhead();
  if (kind !== 'text' && kind !== 'pattern')
    throw lexer.createUnexpectedError('a text in double quotes');
  lexer.takeToken();
  return String(
    kind === 'text'
      ? parseJsonValue(text, at)
      : parseJsonValue(JSON.stringify(text.slice(2, -1)), at),
  );
}

/** Appends the tokens of one value to `parts`. */
function collect(lexer: Lexer, parts: string[], depth: number): void {
  const token = lexer.lookAhead();
  if (token.text === '{' || token.text === '[') return collectItems(lexer, parts, depth);
  if (!isScalar(token)) throw lexer.createUnexpectedError('a value');
  if (token.kind === 'number' && !Number.isFinite(Number(token.text)))
    throw new SourceError(token.at, 'a number out of range');
  parts.push(lexer.takeToken().text);
}

function collectItems(lexer: Lexer, parts: string[], depth: number): void {
  const { text: open, at } = lexer.takeToken();
  const close = open === '{' ? '}' : ']';
  if (depth > MAX_DEPTH) throw new SourceError(at, `nested deeper than ${MAX_DEPTH}`);
  parts.push(open);
  while (!lexer.isNext(close)) {
    if (open === '{') collectKey(lexer, parts);
    collect(lexer, parts, depth + 1);
    if (!lexer.isNext(close)) parts.push(lexer.requireToken(',').text);
    if (parts.at(-1) === ',' && lexer.isNext(close)) throw lexer.createUnexpectedError('a value');
  }
  parts.push(lexer.takeToken().text);
}

function collectKey(lexer: Lexer, parts: string[]): void {
  if (lexer.lookAhead().kind !== 'text')
    throw lexer.createUnexpectedError('a name in double quotes');
  parts.push(lexer.takeToken().text, lexer.requireToken(':').text);
}

function isScalar({ kind, text }: Token): boolean {
  return kind === 'text' || kind === 'number' || (kind === 'name' && KEYWORDS.has(text));
}

function parseJsonValue(text: string, at: number): Json {
  try {
    return parseSafeJson(text);
  } catch (error) {
    if (error instanceof UnsafeJson) throw new SourceError(at, error.reason);
    throw new SourceError(
      at,
      'not a JSON value; in a text, quotes, backslashes and control characters are escaped as in JSON',
    );
  }
}
