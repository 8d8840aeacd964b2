// A significant incident of an essential or important entity: reports to the CSIRT.
import type { CadenceRule } from './rule.ts';

export const nis2Rules: readonly CadenceRule[] = [
  {
    version: 'nis2-2024-10-18',
    articleRef: 'Art. 23',
    source: 'Directive (EU) 2022/2555, Article 23(4)',
    inForceFrom: '2024-10-18',
    checkpoints: [
      { label: 'early', after: 'PT24H' },
      { label: 'intermediate', after: 'PT72H' },
      { label: 'final', after: 'P30D' },
    ],
  },
];
