// Converts proposed policy contents to stored JSON text and back: the database would change nested documents.
import { canonicalizeObject } from '@assay/json';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

type StoredContents = Pick<PolicyApprovalDocument, 'contents' | 'digest'>;

/** Returns the contents as canonical JSON, and their digest. */
export function serializeContents(policy: PolicyContents): StoredContents {
  const contents = canonicalizeObject(policy);
  return { contents, digest: sha256Hex(contents) };
}

export const parseApprovedContents = ({ contents }: StoredContents): PolicyContents =>
  JSON.parse(contents) as PolicyContents;
