// A rule of reporting: the duty, its article, the start of validity, and the deadline of each report.

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
