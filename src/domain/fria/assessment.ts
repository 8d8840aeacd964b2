// A fundamental-rights impact assessment: the wizard's fields, its completeness and its anchor (document 3, section 2).
import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/json';

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** The sections of the wizard that are texts. */
export const TEXT_SECTIONS = [
  'purpose',
  'affectedPersons',
  'usageContext',
  'durationOfUse',
  'humanOversightSummary',
  'complaintsMechanism',
] as const;
type TextSection = (typeof TEXT_SECTIONS)[number];

export type Risk = {
  title: string;
  description: string | null;
  likelihood: RiskLevel;
  severity: RiskLevel;
  affectedRights: string[];
  mitigation: string | null;
  residualRisk: RiskLevel;
};

/** The fields of the wizard; null is a text that is not written yet. */
export type WizardFields = { systemName: string; identifiedRisks: Risk[] } & Record<
  TextSection,
  string | null
>;

/** The two texts of older wizards, which are kept as one synthetic row of risks. */
export interface RiskTexts {
  risksIdentified?: string | null | undefined;
  mitigations?: string | null | undefined;
}

const SYNTHETIC_TITLE = 'Risk Summary';

const isWritten = (text: string | null): boolean => text !== null && text.trim() !== '';

/** The share of the wizard's fields that are filled in, in whole percent. */
export function computeCompleteness(fields: WizardFields): number {
  const texts = [fields.systemName, ...TEXT_SECTIONS.map((name) => fields[name])];
  const filled = texts.filter(isWritten).length + (fields.identifiedRisks.length > 0 ? 1 : 0);
  return Math.round((100 * filled) / (texts.length + 1));
}

/** Creates or updates the synthetic row from the two texts; a text that is undefined stays as it is. */
export function mergeRiskTexts(rows: readonly Risk[], texts: RiskTexts): Risk[] {
  const { risksIdentified, mitigations } = texts;
  if (risksIdentified === undefined && mitigations === undefined) return [...rows];
  const place = rows.findIndex(({ title }) => title === SYNTHETIC_TITLE);
  const current = rows[place] ?? EMPTY_SUMMARY;
  const changed = {
    ...current,
    description: risksIdentified === undefined ? current.description : risksIdentified,
    mitigation: mitigations === undefined ? current.mitigation : mitigations,
  };
  const isEmpty = changed.description === null && changed.mitigation === null;
  const summary = isEmpty ? [] : [changed];
  if (place < 0) return [...rows, ...summary];
  return [...rows.slice(0, place), ...summary, ...rows.slice(place + 1)];
}

const EMPTY_SUMMARY: Risk = {
  title: SYNTHETIC_TITLE,
  description: null,
  likelihood: 'medium',
  severity: 'medium',
  affectedRights: [],
  mitigation: null,
  residualRisk: 'medium',
};

/** SHA-256 of the canonical text of the wizard's fields and nothing else (formats.md, section 10). */
export function computeAnchor(fields: WizardFields): string {
  const anchored = {
    systemName: fields.systemName,
    purpose: fields.purpose,
    affectedPersons: fields.affectedPersons,
    usageContext: fields.usageContext,
    durationOfUse: fields.durationOfUse,
    identifiedRisks: fields.identifiedRisks.map(toAnchoredRisk),
    humanOversightSummary: fields.humanOversightSummary,
    complaintsMechanism: fields.complaintsMechanism,
  };
  return createHash('sha256').update(canonicalize(anchored)).digest('hex');
}

function toAnchoredRisk(risk: Risk): Risk {
  const { title, description, likelihood, severity, affectedRights, mitigation } = risk;
  const levels = { likelihood, severity, residualRisk: risk.residualRisk };
  return { title, description, affectedRights: [...affectedRights], mitigation, ...levels };
}
