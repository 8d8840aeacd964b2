// Cuts rule-language source into tokens, one at a time, each character once.
import { truncate } from '@assay/json';
import { BYTE_ORDER_MARK, SourceError, sourceLimits } from './source.ts';

export type TokenKind = 'name' | 'number' | 'text' | 'pattern' | 'symbol' | 'end';

export interface Token {
  kind: TokenKind;
  /** The token as written, quotes included. */
  text: string;
  /** Its offset in the source. */
  at: number;
}

const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Symbols of the grammar, and further ones of CEL, so that errors can name them. */
const symbol = /&&|\|\||[=!<>]=|[()[\]{},:.<>!?%+*/-]/y;
const blank = /[ \t\r\n]/;

export class Lexer {
  readonly source: string;
  #at = 0;
  #next: Token | null = null;
  #count = 0;

  constructor(source: string) {
    this.source = source;
    this.#at = source.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  }

  lookAhead(): Token {
    return (this.#next ??= this.#read());
  }

  takeToken(): Token {
    const token = this.lookAhead();
    this.#next = null;
    return token;
  }

  /** Takes the token when it is this symbol or word. */
  takeIf(text: string): boolean {
    if (!this.isNext(text)) return false;
    this.takeToken();
    return true;
  }

  isNext(text: string): boolean {
    const { kind, text: next } = this.lookAhead();
    return next === text && (kind === 'symbol' || kind === 'name');
  }

  /** @throws SourceError when another token follows */
  requireToken(text: string): Token {
    if (!this.isNext(text)) throw this.createUnexpectedError(text);
    return this.takeToken();
  }

  /** The error that names the token found instead of the expected one. */
  createUnexpectedError(expected: string): SourceError {
    const { kind, text, at } = this.lookAhead();
    const found = kind === 'end' ? 'the end' : truncate(text, 40);
    return new SourceError(at, `expected ${expected}, found ${found}`);
  }

  #read(): Token {
    this.#skip();
    const { source } = this;
    const at = this.#at;
    if (at === source.length) return { kind: 'end', text: '', at };
    if (++this.#count > sourceLimits.tokens)
      throw new SourceError(at, `more than ${sourceLimits.tokens} words, values and signs`);
    if (source[at] === '"') return this.#quoted('text', at + 1);
    if (source.startsWith('r"', at)) return this.#quoted('pattern', at + 2);
    return (
      this.#match('name', name) ??
      this.#match('number', number) ??
      this.#match('symbol', symbol) ??
      this.#refuse()
    );
  }

  /** Blanks, and comments from `//` to the end of the line. */
  #skip(): void {
    const { source } = this;
    for (;;) {
      while (blank.test(source[this.#at] ?? '')) this.#at++;
      if (!source.startsWith('//', this.#at)) return;
      const end = source.indexOf('\n', this.#at);
      this.#at = end === -1 ? source.length : end;
    }
  }

  #match(kind: TokenKind, shape: RegExp): Token | null {
    shape.lastIndex = this.#at;
    const text = shape.exec(this.source)?.[0];
    return text === undefined ? null : this.#token(kind, this.#at + text.length);
  }

  /** A text ends at the first quote that no backslash escapes; in a pattern a backslash is a character like others. */
  #quoted(kind: 'text' | 'pattern', from: number): Token {
    const { source } = this;
    for (let end = from; end < source.length && source[end] !== '\n'; end++) {
      if (source[end] === '"') return this.#token(kind, end + 1);
      if (source[end] === '\\' && kind === 'text') end++;
    }
    throw new SourceError(this.#at, 'a text without its closing quote on the same line');
  }

  #token(kind: TokenKind, end: number): Token {
    const at = this.#at;
    this.#at = end;
    return { kind, text: this.source.slice(at, end), at };
  }

  #refuse(): never {
    const found = String.fromCodePoint(this.source.codePointAt(this.#at) ?? 0);
    const hint = found === "'" ? '; texts stand in double quotes' : '';
    throw new SourceError(this.#at, `unexpected character ${JSON.stringify(found)}${hint}`);
  }
}
