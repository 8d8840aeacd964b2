// What policies read of a session and of the tools that a decision calls (docs/guides/policies.md).
import type { JsonObject } from '@assay/json';
import type { ValueFacts } from './call-values.ts';
import type { DescribedAction } from './catalogue.ts';
import type { SessionState } from './session-state.ts';

/** The facts of `action` and `session` that depend on what was done before. */
export interface StateFacts {
  action: { does: string[]; listed: boolean; missing: string[] } & Partial<ValueFacts>;
  session: JsonObject;
}

const ACTION_FACTS = ['does', 'listed', 'missing'];
const VALUE_FACTS = ['unproven', 'invented', 'unasked', 'promptSeen'];

/** Whether a condition on this field reads where values come from: decisions of earlier versions do not say. */
export const isValueField = (field: string): boolean =>
  VALUE_FACTS.some((name) => field === `action.${name}`);

/** Whether a condition on this field reads the catalogue or the session. */
export const isStateField = (field: string): boolean => {
  const [root, member] = field.split('.');
  const names = [...ACTION_FACTS, ...VALUE_FACTS];
  return root === 'session' || (root === 'action' && names.includes(member ?? ''));
};

/** A recorded action of an earlier version does not say where its values come from. */
export type KnownAction = Omit<DescribedAction, 'values'> & { values?: ValueFacts | undefined };

/** `before`: the session before the decision, which is judged at `at`. */
export function deriveStateFacts(
  { acts, isListed, after, values }: KnownAction,
  before: SessionState,
  { at, isNamed }: { at: Date; isNamed: boolean },
): StateFacts {
  const { labels, counts, acts: count, blocked, last, steps, began } = before;
  return {
    action: {
      does: [...new Set(acts.flatMap(({ does }) => does))],
      listed: isListed,
      missing: after.filter((tool) => !steps.includes(tool)),
      ...values,
    },
    session: {
      labels: Object.keys(labels).sort(),
      count,
      blocked,
      did: Object.keys(counts),
      last: [...last],
      ageSeconds: Math.max(0, Math.floor((at.getTime() - Date.parse(began)) / 1000)),
      named: isNamed,
    },
  };
}
