// RE2 patterns generated from word lists: complements, for which RE2 has no syntax, and whole words in the names of actions.

interface Trie {
  ends: boolean;
  next: Map<string, Trie>;
}

/** A pattern that matches every text that starts with none of these prefixes. */
export function buildExceptPrefixPattern(prefixes: readonly string[]): string {
  return `^${buildComplement(buildTrie(prefixes))}`;
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

/** The texts that leave the trie here or below before a prefix is complete: they end, or continue with another letter. */
function buildComplement({ next }: Trie): string {
  const other = `[^${[...next.keys()].map(escape).join('')}]`;
  const deeper = [...next].flatMap(([letter, child]) =>
    child.ends ? [] : [escape(letter) + buildComplement(child)],
  );
  return `(?:${['$', other, ...deeper].join('|')})`;
}

function escape(letter: string): string {
  return /[\w]/.test(letter) ? letter : `\\${letter}`;
}
