// Parser of SCIM filters and patch paths (RFC 7644, figure 1 and section 3.5.2), in linear time.
import { truncate } from '@assay/json';

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof COMPARISONS)[number];
export type Literal = string | number | boolean | null;

export type FilterTree =
  | { op: 'and' | 'or'; of: FilterTree[] }
  | { op: 'not'; of: FilterTree }
  | { op: 'pr'; path: string }
  | { op: Comparison; path: string; value: Literal }
  /** `emails[...]`: some element matches the filter in brackets. */
  | { op: 'some'; path: string; of: FilterTree };

/** The target of a patch operation: `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub`. */
export interface Target {
  path: string;
  of: FilterTree | null;
  sub: string | null;
}

/** A malformed filter or path, or one that the schema does not support. */
export class ScimFilterError extends Error {}

/** The longest filter in characters, and the deepest nesting of parentheses. */
export const filterLimits = { length: 4_000, depth: 32 } as const;

type Kind = 'text' | 'number' | 'word' | 'bracket' | 'sub' | 'end';
interface Token {
  kind: Kind;
  text: string;
}

const TOKEN =
  /\s*(?:("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.:$-]))|([A-Za-z$][\w.:$-]*)|([()[\]])|(\.[A-Za-z$][\w$-]*))/uy;
const KINDS: readonly Kind[] = ['text', 'number', 'word', 'bracket', 'sub'];
const END: Token = { kind: 'end', text: 'end of text' };

function tokenizeText(source: string): Token[] {
  const text = source.trimEnd();
  if (text.length > filterLimits.length)
    throw new ScimFilterError(`longer than ${filterLimits.length} characters`);
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text);
    if (!found) throw new ScimFilterError(`invalid token at character ${at + 1}`);
    const index = found.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ kind: KINDS[index] ?? 'end', text: found[index + 1] ?? '' });
  }
  return tokens;
}

/** Recursive descent; `or` has the lowest precedence, then `and`, then `not` and brackets. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #inPath = false;

  constructor(source: string) {
    this.#tokens = tokenizeText(source);
  }

  readFilter(): FilterTree {
    return this.#chain('or', () => this.#chain('and', () => this.#factor()));
  }

  readTarget(): Target {
    const path = this.#take('word');
    if (!this.#skip('[')) return { path, of: null, sub: null };
    const of = this.#inBrackets();
    return { path, of, sub: this.#peek().kind === 'sub' ? this.#take('sub').slice(1) : null };
  }

  assertEnd(): void {
    if (this.#peek().kind !== 'end') throw this.#unexpected();
  }

  #chain(op: 'and' | 'or', next: () => FilterTree): FilterTree {
    const first = next();
    const of = [first];
    while (this.#peek().kind === 'word' && this.#peek().text.toLowerCase() === op) {
      this.#at += 1;
      of.push(next());
    }
    return of.length === 1 ? first : { op, of };
  }

  #factor(): FilterTree {
    const negated =
      this.#peek().text.toLowerCase() === 'not' && this.#tokens[this.#at + 1]?.text === '(';
    if (negated) this.#at += 1;
    if (!this.#skip('(')) return this.#expression();
    if ((this.#depth += 1) > filterLimits.depth) throw new ScimFilterError('nested too deeply');
    const of = this.readFilter();
    this.#expect(')');
    this.#depth -= 1;
    return negated ? { op: 'not', of } : of;
  }

  #expression(): FilterTree {
    const path = this.#take('word');
    if (!this.#skip('[')) return this.#comparison(path);
    const of = this.#inBrackets();
    if (this.#peek().kind !== 'sub') return { op: 'some', path, of };
    // Entra sends `emails[type eq "work"].value eq "a"`: one element matches both.
    const comparison = this.#comparison(this.#take('sub').slice(1));
    return { op: 'some', path, of: { op: 'and', of: [of, comparison] } };
  }

  /** Value paths do not nest (RFC 7644, figure 1). */
  #inBrackets(): FilterTree {
    if (this.#inPath) throw this.#unexpected();
    this.#inPath = true;
    const of = this.readFilter();
    this.#expect(']');
    this.#inPath = false;
    return of;
  }

  #comparison(path: string): FilterTree {
    const op = this.#take('word').toLowerCase();
    if (op === 'pr') return { op, path };
    const comparison = COMPARISONS.find((one) => one === op);
    if (comparison === undefined) throw new ScimFilterError(`unknown operator ${op}`);
    return { op: comparison, path, value: this.#literal() };
  }

  #literal(): Literal {
    const { kind, text } = this.#peek();
    const lower = text.toLowerCase();
    const isLiteral =
      kind === 'text' ||
      kind === 'number' ||
      (kind === 'word' && ['true', 'false', 'null'].includes(lower));
    if (!isLiteral) throw this.#unexpected();
    this.#at += 1;
    return JSON.parse(kind === 'word' ? lower : text) as Literal;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #take(kind: Kind): string {
    const token = this.#peek();
    if (token.kind !== kind) throw this.#unexpected();
    this.#at += 1;
    return token.text;
  }

  #skip(bracket: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'bracket' || text !== bracket) return false;
    this.#at += 1;
    return true;
  }

  #expect(bracket: string): void {
    if (!this.#skip(bracket)) throw this.#unexpected();
  }

  #unexpected(): ScimFilterError {
    return new ScimFilterError(`unexpected ${truncate(this.#peek().text, 40)}`);
  }
}

/**
 * Parses a filter; keywords and operators are case-insensitive.
 * @throws ScimFilterError
 */
export function parseFilter(source: string): FilterTree {
  const parser = new Parser(source);
  const tree = parser.readFilter();
  parser.assertEnd();
  return tree;
}

/**
 * Parses the path of a patch operation (RFC 7644, section 3.5.2).
 * @throws ScimFilterError
 */
export function parseTarget(source: string): Target {
  const parser = new Parser(source);
  const target = parser.readTarget();
  parser.assertEnd();
  return target;
}
