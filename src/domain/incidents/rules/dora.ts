// A major ICT-related incident of a financial entity: reports to the competent authority.
import type { CadenceRule } from './rule.ts';

export const doraRules: readonly CadenceRule[] = [
  {
    version: 'dora-2025-01-17',
    articleRef: 'Art. 19',
    source: 'Regulation (EU) 2022/2554, Article 19(4)',
    inForceFrom: '2025-01-17',
    checkpoints: [
      { label: 'early', after: 'PT4H' },
      { label: 'intermediate', after: 'PT72H' },
      { label: 'final', after: 'P30D' },
    ],
  },
];
