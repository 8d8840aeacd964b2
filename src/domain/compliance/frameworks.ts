// The frameworks that an organisation attests, their catalogues and their coverage (document 3, section 4.3).
import type { Catalogue, ClauseStatus } from './clause.ts';
import { euAiAct } from './eu-ai-act.ts';
import { iso42001 } from './iso-42001.ts';
import { nistRmf } from './nist-rmf.ts';

export const FRAMEWORKS = ['iso-42001', 'eu-ai-act', 'nist-rmf'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const CATALOGUES: Readonly<Record<Framework, Catalogue>> = {
  'iso-42001': iso42001,
  'eu-ai-act': euAiAct,
  'nist-rmf': nistRmf,
};

/** The status of a clause without an attestation. */
export const DEFAULT_STATUS: ClauseStatus = 'gap';

export interface Coverage {
  covered: number;
  partial: number;
  gap: number;
  notApplicable: number;
  /** All clauses of the catalogue. */
  total: number;
}

const COUNTED_AS = {
  covered: 'covered',
  partial: 'partial',
  gap: 'gap',
  'not-applicable': 'notApplicable',
} as const satisfies Record<ClauseStatus, keyof Coverage>;

/** Counts every clause of the framework by its attested or default status; notes on unknown clauses are ignored. */
export function computeCoverage(
  framework: Framework,
  notes: readonly { clauseId: string; status: ClauseStatus }[],
): Coverage {
  const { clauses } = CATALOGUES[framework];
  const attested = new Map(notes.map(({ clauseId, status }) => [clauseId, status]));
  const coverage = { covered: 0, partial: 0, gap: 0, notApplicable: 0, total: clauses.length };
  for (const { clauseId } of clauses)
    coverage[COUNTED_AS[attested.get(clauseId) ?? DEFAULT_STATUS]] += 1;
  return coverage;
}

export function hasClause(framework: Framework, clauseId: string): boolean {
  return CATALOGUES[framework].clauses.some((clause) => clause.clauseId === clauseId);
}
