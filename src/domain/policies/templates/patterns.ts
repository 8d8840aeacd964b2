// Patterns built from word lists: the complements that RE2 has no syntax for, and words within the name of an action.

interface Trie {
  ends: boolean;
  next: Map<string, Trie>;
}

/**
 * A pattern that matches every text except exactly these words: the complement of a finite list, without look-ahead.
 * About eleven characters a letter, common beginnings counted once.
 */
export function anythingBut(words: readonly string[]): string {
  return `^${outside(trieOf(words), 'whole')}`;
}

/** A pattern that matches every text that begins with none of these prefixes. */
export function beginningWithNoneOf(prefixes: readonly string[]): string {
  return `^${outside(trieOf(prefixes), 'prefix')}`;
}

/** A pattern that finds one of these words as a whole word of a name of `action.names`: `delete` in `bulk_delete`, not in `undelete`. */
export function wordInName(words: readonly string[]): string {
  return `(?:^|_)(?:${words.join('|')})(?:_|$)`;
}

function trieOf(words: readonly string[]): Trie {
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

/** The texts that leave the trie here or below: at an early end, by another letter, or beyond the end of a word. */
function outside({ ends, next }: Trie, mode: 'whole' | 'prefix'): string {
  const letters = [...next.keys()];
  if (letters.length === 0) return '(?s:.)';
  const other = `[^${letters.map(escape).join('')}]`;
  const below = [...next].flatMap(([letter, child]) => {
    return child.ends && mode === 'prefix' ? [] : [escape(letter) + outside(child, mode)];
  });
  return `(?:${[...(ends ? [] : ['$']), other, ...below].join('|')})`;
}

function escape(letter: string): string {
  return /[\w]/.test(letter) ? letter : `\\${letter}`;
}
