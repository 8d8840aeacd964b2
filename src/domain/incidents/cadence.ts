// The deadlines of regulators after an incident: dated, versioned rules (document 3, section 2).
export const REGULATORS = ['gdpr', 'aiact', 'dora', 'nis2', 'cra'] as const;
export type Regulator = (typeof REGULATORS)[number];

export interface CadenceRule {
  /** Regulator and the day from which it applies. */
  version: string;
  articleRef: string;
  /** The citation of the legal act. */
  source: string;
  /** YYYY-MM-DD. */
  inForceFrom: string;
  /** Sorted by deadline, soonest first. `after` is an ISO 8601 duration in hours, days or months. */
  checkpoints: readonly { label: 'early' | 'intermediate' | 'final'; after: string }[];
}

/** The authority that receives the reports. */
export const RECIPIENTS: Readonly<Record<Regulator, string>> = {
  gdpr: 'gdpr-dpa',
  aiact: 'aiact-ms',
  dora: 'dora-na',
  nis2: 'nis2-csirt',
  cra: 'cra-enisa',
};

/** Oldest first. A version is never changed or removed: incidents keep the version they began with. */
export const RULES: Readonly<Record<Regulator, readonly CadenceRule[]>> = {
  // A breach of personal data: notification of the supervisory authority.
  gdpr: [
    {
      version: 'gdpr-2018-05-25',
      articleRef: 'Art. 33',
      source: 'Regulation (EU) 2016/679, Article 33(1)',
      inForceFrom: '2018-05-25',
      checkpoints: [{ label: 'final', after: 'PT72H' }],
    },
  ],
  // A serious incident of an AI system: report to the market surveillance authority.
  aiact: [
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
  ],
  // A major ICT-related incident of a financial entity: reports to the competent authority.
  dora: [
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
  ],
  // A significant incident of an essential or important entity: reports to the CSIRT.
  nis2: [
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
  ],
  // An exploited vulnerability or severe incident of a product: reports to the CSIRT and ENISA.
  cra: [
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
  ],
};

const byVersion = new Map(
  Object.values(RULES)
    .flat()
    .map((rule) => [rule.version, rule]),
);

/** The rule in force at that time; the first rule for earlier times. */
export function findRuleInForce(regulator: Regulator, at: Date): CadenceRule {
  const rules = RULES[regulator];
  const day = at.toISOString().slice(0, 10);
  const found = rules.findLast(({ inForceFrom }) => inForceFrom <= day) ?? rules[0];
  if (!found) throw new Error(`no rule for ${regulator}`);
  return found;
}

/** @throws Error for a version that was never published */
export function getCadenceRule(version: string): CadenceRule {
  const rule = byVersion.get(version);
  if (!rule) throw new Error(`no rule ${version}`);
  return rule;
}
