// Converts proposed policy contents to stored JSON text and back: the database would change nested documents.
import { canonicalize } from '../../../domain/record/canonical-json.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import type { Json } from '../../../domain/record/json.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

type Kept = Pick<PolicyApprovalDocument, 'contents' | 'digest'>;

/** Returns the contents as canonical JSON, and their digest. */
export function keptContents(policy: PolicyContents): Kept {
  const contents = canonicalize(policy as unknown as Json);
  return { contents, digest: sha256Hex(contents) };
}

export const approvedContents = ({ contents }: Kept): PolicyContents =>
  JSON.parse(contents) as PolicyContents;
