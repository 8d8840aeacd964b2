// An exploited vulnerability or severe incident of a product: reports to the CSIRT and ENISA.
import type { CadenceRule } from './rule.ts';

export const craRules: readonly CadenceRule[] = [
  {
    version: 'cra-2026-09-11',
    articleRef: 'Art. 11',
    source: 'Regulation (EU) 2024/2847, Article 14 (Article 11 of the proposal)',
    inForceFrom: '2026-09-11',
    checkpoints: [
      { label: 'early', after: 'PT24H' },
      { label: 'intermediate', after: 'PT72H' },
      { label: 'final', after: 'P14D' },
    ],
  },
];
