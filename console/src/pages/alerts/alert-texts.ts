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
] as const;
export type Field = (typeof FIELDS)[number]['value'];

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
};

export function describeCondition({ condition }: Alert): string {
  const { field, operator, value } = condition;
  const word = OPERATORS.find((known) => known.value === operator)?.label ?? operator;
  const shown = field === 'status' ? describeVerdict(String(value)).toLowerCase() : value;
  return `${NAMES[field] ?? field} ${word} ${shown}`;
}

export const ACTIONS = [
  { value: 'email', label: 'E-mail to a member' },
  { value: 'chat', label: 'Chat (incoming webhook)' },
  { value: 'webhook', label: 'Webhook' },
] as const;
