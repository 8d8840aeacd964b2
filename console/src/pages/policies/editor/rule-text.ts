// Policies as source of the rule language and back, by the code of the service itself.
import { parsePolicy, printPolicy } from '@assay/policy/language';
import type { PolicyContents } from '../policy-queries.ts';

type Printable = Parameters<typeof printPolicy>[0];

/** Writes a policy out as source. */
export const formatRule = (policy: PolicyContents): string => printPolicy(policy as Printable);

/** Reads source without its types; null: it cannot be read. */
export function parseRule(source: string): PolicyContents | null {
  const parsed = parsePolicy(source);
  return 'policy' in parsed ? (parsed.policy as PolicyContents) : null;
}

/** The lines on which the actions of a source begin; none: it cannot be read. */
export function listActionLines(source: string): number[] {
  const parsed = parsePolicy(source);
  if (!('policy' in parsed)) return [];
  return parsed.policy.actions.map((_, at) => {
    const place = parsed.places.get(`actions.${at}`) ?? 0;
    return source.slice(0, place).split('\n').length;
  });
}
