// Loads the revisions of policies that judged a decision or that a replay tries.
import type { Types } from 'mongoose';
import type { PolicyDefinition } from '@assay/policy';
import type { Models } from '../models.ts';
import { type PolicyRevisionDocument, toPolicyContents } from './policies.model.ts';

/** A policy as it was at one revision. */
export interface RevisionId {
  id: string | Types.ObjectId;
  revision: number;
}

/** A revision as the engine takes it, without the lists that it names. */
export const toDefinition = (stored: PolicyRevisionDocument): PolicyDefinition => ({
  id: stored.policyId.toHexString(),
  revision: stored.revision,
  ...toPolicyContents(stored),
});

/** The order is open; revisions that are not stored are left out. */
export async function loadRevisions(
  models: Pick<Models, 'policyRevisions'>,
  organizationId: string | Types.ObjectId,
  chosen: readonly RevisionId[],
): Promise<PolicyRevisionDocument[]> {
  if (chosen.length === 0) return [];
  const $or = chosen.map(({ id, revision }) => ({ policyId: id, revision }));
  return models.policyRevisions.find({ organizationId, $or }).lean<PolicyRevisionDocument[]>();
}
