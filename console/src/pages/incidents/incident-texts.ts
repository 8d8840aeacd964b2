// Incidents in words.
import type { components } from '../../api/schema.gen.d.ts';
import type { Tone } from '../../parts/verdict.tsx';
import { toTitle } from '../../parts/words.ts';

export type Incident = components['schemas']['Incident'];
export type Clock = Incident['clocks'][number];
export type Checkpoint = Clock['checkpoints'][number];
export type Regulator = Clock['regulator'];

export const STATUSES = [
  'open',
  'investigating',
  'reported',
  'mitigated',
  'resolved',
  'closed',
  'archived',
] as const;
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export const REGULATORS = ['gdpr', 'aiact', 'dora', 'nis2', 'cra'] as const;

export const REGULATOR_NAMES: Readonly<Record<Regulator, string>> = {
  gdpr: 'GDPR',
  aiact: 'AI Act',
  dora: 'DORA',
  nis2: 'NIS 2',
  cra: 'Cyber Resilience Act',
};
export const CATEGORY_NAMES: Readonly<Record<Incident['category'], string>> = {
  data_breach: 'Data breach',
  ai_serious_incident: 'Serious incident of an AI system',
  operational: 'Operational',
  cyber: 'Cyber attack',
  product_safety: 'Product safety',
  other: 'Other',
};

export const SEVERITY_TONES: Readonly<Record<Incident['severity'], Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warning',
  low: 'neutral',
  info: 'neutral',
};
export const STATUS_TONES: Readonly<Record<Incident['status'], Tone>> = {
  open: 'warning',
  investigating: 'warning',
  reported: 'warning',
  mitigated: 'warning',
  resolved: 'good',
  closed: 'good',
  archived: 'neutral',
};

/** Choices of a list from its words. */
export const toChoices = <T extends string>(values: readonly T[]) =>
  values.map((value) => ({ value, label: toTitle(value) }));

export const isOver = ({ status }: Incident): boolean =>
  status === 'closed' || status === 'archived';

export type CheckpointState = 'done' | 'late' | 'due';

export function findCheckpointState(checkpoint: Checkpoint, now: number): CheckpointState {
  const { completedAt, deadlineAt } = checkpoint;
  if (completedAt !== null) return 'done';
  return new Date(deadlineAt).getTime() < now ? 'late' : 'due';
}
