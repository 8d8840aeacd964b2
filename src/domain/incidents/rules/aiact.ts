// A serious incident of an AI system: report to the market surveillance authority.
import type { CadenceRule } from './rule.ts';

export const aiactRules: readonly CadenceRule[] = [
  {
    version: 'aiact-2026-08-02',
    articleRef: 'Art. 73',
    source: 'Regulation (EU) 2024/1689, Article 73(2) to (4), applicable by Article 113',
    inForceFrom: '2026-08-02',
    checkpoints: [
      { label: 'early', after: 'P2D' },
      { label: 'intermediate', after: 'P10D' },
      { label: 'final', after: 'P15D' },
    ],
  },
];
