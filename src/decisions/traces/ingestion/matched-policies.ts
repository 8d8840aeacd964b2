// What the record of a judgement says of the policies that matched, or could not be evaluated.
import type { Json, JsonObject } from '@assay/json';
import type { PolicyVerdict } from '@assay/policy';

export const recordMatchedPolicies = ({ matched, failed }: PolicyVerdict): Json[] =>
  [...matched, ...failed].map(toMatchedPolicy);

export function toMatchedPolicy(
  match: PolicyVerdict['matched'][number] | PolicyVerdict['failed'][number],
): JsonObject {
  return {
    actions: 'actions' in match ? [...match.actions] : [],
    error: match.error,
    id: match.id,
    revision: match.revision,
  };
}
