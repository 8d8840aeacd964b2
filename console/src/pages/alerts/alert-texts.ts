// Alert rules in words.
import type { components } from '../../api/schema.gen.d.ts';
import { describeVerdict } from '../../parts/verdict.tsx';

export type Alert = components['schemas']['Alert'];
export type AlertInput = components['schemas']['AlertInput'];
export type Severity = Alert['severity'];

export const FIELDS = [
  { value: 'confidenceScore', label: 'Confidence of a decision (0 to 1)' },
  { value: 'cpiScore', label: 'Index of the organisation (0 to 100)' },
  { value: 'limitShare', label: 'Share of a limit that is spent (1: all of it)' },
  { value: 'status', label: 'Verdict of a decision' },
  { value: 'heldShare', label: 'Share of decisions that are held (%)' },
  { value: 'blockedShare', label: 'Share of decisions that are blocked (%)' },
  { value: 'failedShare', label: 'Share of executions that fail (%)' },
  { value: 'oldestHoldMinutes', label: 'Age of the oldest held decision (minutes)' },
  { value: 'agentSilenceMinutes', label: 'Silence of an agent that was active (minutes)' },
] as const;
export type Field = (typeof FIELDS)[number]['value'];

/** What a field is measured in, beside its one value. */
export type Measure = 'share' | 'age' | 'silence' | null;

export function findMeasure(field: string): Measure {
  if (field === 'agentSilenceMinutes') return 'silence';
  if (field === 'oldestHoldMinutes') return 'age';
  return ['heldShare', 'blockedShare', 'failedShare'].includes(field) ? 'share' : null;
}

export const toPercent = (share: number): number => Math.round(share * 10_000) / 100;

export const OPERATORS = [
  { value: 'lt', label: 'is below' },
  { value: 'lte', label: 'is at most' },
  { value: 'eq', label: 'is' },
  { value: 'gte', label: 'is at least' },
  { value: 'gt', label: 'is above' },
] as const;

export const VERDICTS = ['approved', 'flagged', 'blocked'] as const;

const NAMES: Readonly<Record<string, string>> = {
  confidenceScore: 'Confidence',
  cpiScore: 'Index',
  limitShare: 'Spent share of a limit',
  status: 'Verdict',
  heldShare: 'Share held',
  blockedShare: 'Share blocked',
  failedShare: 'Share of failed executions',
  oldestHoldMinutes: 'Oldest held decision',
};

/** `agentNames`: the names of agents by their ids. */
export function describeCondition(
  { condition }: Alert,
  agentNames: ReadonlyMap<string, string> = new Map(),
): string {
  const { field, operator, value } = condition;
  const word = OPERATORS.find((known) => known.value === operator)?.label ?? operator;
  const measure = findMeasure(field);
  if (measure === 'silence') {
    const { agentId } = condition;
    const who = agentId ? (agentNames.get(agentId) ?? 'A removed agent') : 'An active agent';
    return `${who} decides nothing for ${value} minutes`;
  }
  if (measure === 'age') return `Oldest held decision waits ${value} minutes`;
  if (measure === 'share') {
    const { windowHours = 1, atLeast = 1 } = condition;
    const span = windowHours === 1 ? 'hour' : `${windowHours} hours`;
    const share = `${NAMES[field]} ${word} ${toPercent(Number(value))} %`;
    return `${share} in the last ${span}, of at least ${atLeast}`;
  }
  const shown = field === 'status' ? describeVerdict(String(value)).toLowerCase() : value;
  return `${NAMES[field] ?? field} ${word} ${shown}`;
}

export const ACTIONS = [
  { value: 'email', label: 'E-mail to a member' },
  { value: 'chat', label: 'Chat (incoming webhook)' },
  { value: 'webhook', label: 'Webhook' },
] as const;
