// Conditions of alert rules: one field against one value (document 2, resource AlertRule).
import type { TraceStatus } from '../record/payload.ts';
import type { AlertAge, AlertShare } from './alert-measures.ts';

export const ALERT_OPERATORS = ['lt', 'lte', 'eq', 'gte', 'gt'] as const;
export type AlertOperator = (typeof ALERT_OPERATORS)[number];

/** `limitShare`: how much of its fullest limit is spent, once an approval has reserved; 1 is all of it. */
export const ALERT_NUMBERS = ['confidenceScore', 'cpiScore', 'limitShare'] as const;
export type AlertNumber = (typeof ALERT_NUMBERS)[number];

/** What is measured every minute instead of read from a decision. */
export type MeasuredCondition =
  | {
      field: AlertShare;
      operator: AlertOperator;
      value: number;
      windowHours: number;
      /** Fewer decisions than these have no share. */
      atLeast: number;
    }
  | {
      field: AlertAge;
      operator: 'gte' | 'gt';
      value: number;
      /** The agent that may not be silent; null: none of them may. */
      agentId?: string | null;
    };

export type AlertCondition =
  | MeasuredCondition
  | { field: AlertNumber; operator: AlertOperator; value: number }
  | { field: 'status'; operator: 'eq'; value: TraceStatus };

/** The values a condition is compared with: those of a decision, of its approval by a person, or of the organisation. */
export type AlertFacts =
  | { confidenceScore: number; status: TraceStatus; limitShare?: number }
  | { limitShare: number }
  | { cpiScore: number }
  | Partial<Record<AlertShare | AlertAge, number>>;

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

export function formatCondition(condition: AlertCondition): string {
  const { field, operator, value } = condition;
  const text = `${field} ${operator} ${value}`;
  if (!('windowHours' in condition)) return text;
  return `${text} within ${condition.windowHours} h of at least ${condition.atLeast}`;
}
