// What a rule says: which duty, from which article, since when, and how long after the detection each report is due.

export const REGULATORS = ['gdpr', 'aiact', 'dora', 'nis2', 'cra'] as const;
export type Regulator = (typeof REGULATORS)[number];

export interface CadenceRule {
  /** Regulator and the day from which it applies. */
  version: string;
  articleRef: string;
  /** The act, for whoever looks it up. */
  source: string;
  /** YYYY-MM-DD. */
  inForceFrom: string;
  /** By deadline, soonest first. `after` is a duration of ISO 8601: hours, days or months. */
  checkpoints: readonly { label: 'early' | 'intermediate' | 'final'; after: string }[];
}

/** Who receives the reports. */
export const RECIPIENTS: Readonly<Record<Regulator, string>> = {
  gdpr: 'gdpr-dpa',
  aiact: 'aiact-ms',
  dora: 'dora-na',
  nis2: 'nis2-csirt',
  cra: 'cra-enisa',
};
