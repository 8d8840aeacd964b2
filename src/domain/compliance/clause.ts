// A clause of a framework, told in Assay's own words: the standards themselves are not reproduced.

export const CLAUSE_STATUSES = ['covered', 'partial', 'gap', 'not-applicable'] as const;
export type ClauseStatus = (typeof CLAUSE_STATUSES)[number];

export interface Clause {
  /** As the framework numbers it: one word of at most 32 characters. */
  clauseId: string;
  title: string;
  /** What it is about, in a sentence of our own. */
  description: string;
}

/** Dated: a changed catalogue is another version, and attestations name the one they were made under. */
export interface Catalogue {
  version: string;
  /** Where the framework itself is to be read. */
  source: string;
  clauses: readonly Clause[];
}

/** `id | title | description`, a line each. */
export function clausesOf(text: string): Clause[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [clauseId = '', title = '', description = ''] = line
        .split('|')
        .map((part) => part.trim());
      return { clauseId, title, description };
    });
}
