// The digest of a set of policies by docs/reference/formats.md, computed without the code that is tested.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { PolicyDefinition } from '@assay/policy';

type DigestedPolicy = Pick<PolicyDefinition, 'id' | 'priority' | 'conditions' | 'actions'>;

export function computePolicySetDigest(definitions: readonly DigestedPolicy[]): string {
  const members = definitions
    .toSorted((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
    .map(({ id, priority, conditions, actions }) => ({ id, priority, conditions, actions }));
  return createHash('sha256')
    .update(canonicalize(members) as string)
    .digest('hex');
}
