// RE2 patterns generated from word lists: complements, for which RE2 has no syntax, and whole words in the names of actions.

interface Trie {
  ends: boolean;
  next: Map<string, Trie>;
}

/**
 * A pattern that matches every text except exactly these words, without look-ahead. It has about eleven characters per letter,
 * common prefixes counted once.
 */
export function buildExceptPattern(words: readonly string[]): string {
  return `^${buildComplement(buildTrie(words), 'whole')}`;
}

/** A pattern that matches every text that starts with none of these prefixes. */
export function buildExceptPrefixPattern(prefixes: readonly string[]): string {
  return `^${buildComplement(buildTrie(prefixes), 'prefix')}`;
}

/** A pattern that finds one of these as a whole word of a name in `action.names`: `delete` in `bulk_delete`, not in `undelete`. */
export function buildNameWordPattern(words: readonly string[]): string {
  return `(?:^|_)(?:${words.join('|')})(?:_|$)`;
}

function buildTrie(words: readonly string[]): Trie {
  const root: Trie = { ends: false, next: new Map() };
  for (const word of words) {
    let node = root;
    for (const letter of word) {
      const child = node.next.get(letter) ?? { ends: false, next: new Map<string, Trie>() };
      node.next.set(letter, child);
      node = child;
    }
    node.ends = true;
  }
  return root;
}

/** The texts that leave the trie here or below: they end early, continue with another letter, or go on after a word. */
function buildComplement({ ends, next }: Trie, mode: 'whole' | 'prefix'): string {
  const letters = [...next.keys()];
  if (letters.length === 0) return '(?s:.)';
  const other = `[^${letters.map(escape).join('')}]`;
  const deeper = [...next].flatMap(([letter, child]) => {
    return child.ends && mode === 'prefix' ? [] : [escape(letter) + buildComplement(child, mode)];
  });
  return `(?:${[...(ends ? [] : ['$']), other, ...deeper].join('|')})`;
}

function escape(letter: string): string {
  return /[\w]/.test(letter) ? letter : `\\${letter}`;
}
