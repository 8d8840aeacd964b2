// A breach of personal data: notification of the supervisory authority.
import type { CadenceRule } from './rule.ts';

export const gdprRules: readonly CadenceRule[] = [
  {
    version: 'gdpr-2018-05-25',
    articleRef: 'Art. 33',
    source: 'Regulation (EU) 2016/679, Article 33(1)',
    inForceFrom: '2018-05-25',
    checkpoints: [{ label: 'final', after: 'PT72H' }],
  },
];
