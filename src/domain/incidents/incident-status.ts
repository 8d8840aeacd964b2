// The status of an incident in two vocabularies, reporting and response (document 3, section 2).

export const INCIDENT_STATUSES = [
  'open',
  'investigating',
  'reported',
  'mitigated',
  'resolved',
  'closed',
  'archived',
] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

export const REPORTING_STATUSES = [
  'open',
  'investigating',
  'reported',
  'resolved',
  'archived',
] as const;
export const RESPONSE_STATUSES = ['open', 'investigating', 'mitigated', 'closed'] as const;

/** One status in both vocabularies. */
export interface StatusTranslation {
  reporting: (typeof REPORTING_STATUSES)[number];
  response: (typeof RESPONSE_STATUSES)[number];
}

/** A status translates to itself where the vocabulary has it, else to one that claims no more. */
const TRANSLATIONS: Readonly<Record<IncidentStatus, StatusTranslation>> = {
  open: { reporting: 'open', response: 'open' },
  investigating: { reporting: 'investigating', response: 'investigating' },
  reported: { reporting: 'reported', response: 'investigating' },
  mitigated: { reporting: 'investigating', response: 'mitigated' },
  resolved: { reporting: 'resolved', response: 'mitigated' },
  closed: { reporting: 'resolved', response: 'closed' },
  archived: { reporting: 'archived', response: 'closed' },
};

export function translateStatus(status: IncidentStatus): StatusTranslation {
  return TRANSLATIONS[status];
}

/** Closing and reopening are reserved to the managers of the organisation. */
export function isManagerOnly(from: IncidentStatus, to: IncidentStatus): boolean {
  return (from === 'closed') !== (to === 'closed');
}
