// E-mail addresses: `@` (or `%40`) between a local part and a domain name.
import { textFeatures } from '../inspect.ts';
import { type Candidates, type Rule, toSpans } from '../rule.ts';

const atSign = /@|%40/g;
const domain =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}(?:\p{L}{2,63}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}])/uy;
const localPart = /[\p{L}\p{N}._%+'-]/u;
const localPartStart = /[\p{L}\p{N}_+]/u;

export const emailRule: Rule = {
  type: 'EMAIL',
  needs: textFeatures.at,
  candidates: (text) => [createAddressCandidates(text)],
};

function createAddressCandidates(text: string): Candidates {
  const localParts = new LocalParts(text);
  return {
    pattern: atSign,
    extractSpans({ index, 0: sign }) {
      const start = localParts.findStart(index);
      domain.lastIndex = index + sign.length;
      if (start === index || !domain.test(text)) return [];
      localParts.skipTo(domain.lastIndex);
      return toSpans(start, domain.lastIndex - start);
    },
  };
}

/**
 * Finds the starts of local parts for at signs in ascending order. `%40` itself consists of characters of a local part,
 * so visited characters are remembered, and each is read once.
 */
class LocalParts {
  readonly #text: string;
  /** The offset up to which characters have been read. */
  #walked = 0;
  /** The first possible start in the run of characters that ends there. */
  #start = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Later local parts start at `from` or after it. */
  skipTo(from: number): void {
    this.#walked = this.#start = from;
  }

  /** The start of the local part before this at sign; `signAt` when there is none. */
  findStart(signAt: number): number {
    let runStart = signAt;
    while (runStart > this.#walked && hasCharacter(localPart, this.#text, runStart - 1)) runStart--;
    if (runStart > this.#walked) this.#start = runStart;
    this.#walked = signAt;
    while (this.#start < signAt && !hasCharacter(localPartStart, this.#text, this.#start))
      this.#start++;
    return this.#start;
  }
}

function hasCharacter(characters: RegExp, text: string, at: number): boolean {
  return characters.test(text[at] ?? '');
}
