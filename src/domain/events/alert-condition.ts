// Conditions of alert rules: one field against one value (document 2, resource AlertRule).
import type { TraceStatus } from '../record/payload.ts';

export const ALERT_OPERATORS = ['lt', 'lte', 'eq', 'gte', 'gt'] as const;
export type AlertOperator = (typeof ALERT_OPERATORS)[number];

/** `limitShare`: how much of its fullest limit is spent, once an approval has reserved; 1 is all of it. */
export const ALERT_NUMBERS = ['confidenceScore', 'cpiScore', 'limitShare'] as const;
export type AlertNumber = (typeof ALERT_NUMBERS)[number];

export type AlertCondition =
  | { field: AlertNumber; operator: AlertOperator; value: number }
  | { field: 'status'; operator: 'eq'; value: TraceStatus };

/** The values a condition is compared with: those of a decision, of its approval by a person, or of the organisation. */
export type AlertFacts =
  | { confidenceScore: number; status: TraceStatus; limitShare?: number }
  | { limitShare: number }
  | { cpiScore: number };

const COMPARE: Readonly<Record<AlertOperator, (actual: number, value: number) => boolean>> = {
  lt: (actual, value) => actual < value,
  lte: (actual, value) => actual <= value,
  eq: (actual, value) => actual === value,
  gte: (actual, value) => actual >= value,
  gt: (actual, value) => actual > value,
};

/** Whether the facts meet the condition; false where they lack its field. */
export function isConditionMet(condition: AlertCondition, facts: AlertFacts): boolean {
  if (condition.field === 'status') return 'status' in facts && facts.status === condition.value;
  const actual = (facts as Partial<Record<string, number>>)[condition.field];
  return actual !== undefined && COMPARE[condition.operator](actual, condition.value);
}

/** The number that an alert reports. A status is not a number, so the decision's confidence stands in for it. */
export function getAlertValue({ field }: AlertCondition, facts: AlertFacts): number {
  const numbers = facts as Partial<Record<string, number>>;
  return numbers[field === 'status' ? 'confidenceScore' : field] ?? 0;
}

export function formatCondition({ field, operator, value }: AlertCondition): string {
  return `${field} ${operator} ${value}`;
}
