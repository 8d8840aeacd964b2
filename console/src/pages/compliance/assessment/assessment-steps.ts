// The steps of an impact assessment, as its address names them.

/** The steps of the wizard, in the order of article 27 of the EU AI Act. */
export const STEPS = [
  'systemName',
  'purpose',
  'affectedPersons',
  'usageContext',
  'durationOfUse',
  'identifiedRisks',
  'humanOversightSummary',
  'complaintsMechanism',
  'check',
] as const;
export type Step = (typeof STEPS)[number];
