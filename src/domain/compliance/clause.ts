// A clause of a framework in Assay's own words: the standards themselves are not reproduced.

export const CLAUSE_STATUSES = ['covered', 'partial', 'gap', 'not-applicable'] as const;
export type ClauseStatus = (typeof CLAUSE_STATUSES)[number];

export interface Clause {
  /** The framework's own number: one word of at most 32 characters. */
  clauseId: string;
  title: string;
  /** One sentence in Assay's own words. */
  description: string;
}

/** A changed catalogue gets a new dated version; attestations name the version they were made under. */
export interface Catalogue {
  version: string;
  /** The publication that contains the framework itself. */
  source: string;
  clauses: readonly Clause[];
}

/** Parses one clause a line: `id | title | description`. */
export function parseClauses(text: string): Clause[] {
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
