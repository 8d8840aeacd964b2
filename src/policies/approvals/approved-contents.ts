// Converts proposed contents to stored JSON text and back: the database would change nested documents.
import { canonicalizeObject } from '@assay/json';
import type { ListChange } from '../../domain/policies/list-contents.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

type StoredContents = Pick<PolicyApprovalDocument, 'contents' | 'digest'>;
type StoredChange = StoredContents & Pick<PolicyApprovalDocument, 'listName'>;

/** Returns the contents as canonical JSON, and their digest. */
export function serializeContents(proposed: PolicyContents | ListChange): StoredContents {
  const contents = canonicalizeObject(proposed);
  return { contents, digest: sha256Hex(contents) };
}

/** The contents of a proposed policy. */
export const parseApprovedContents = ({ contents }: StoredContents): PolicyContents =>
  JSON.parse(contents) as PolicyContents;

/** The proposed change of a list; null: it is one of a policy. */
export const parseListChange = ({ listName = null, contents }: StoredChange): ListChange | null =>
  listName === null ? null : (JSON.parse(contents) as ListChange);

/** What the change is about, as people read it. */
export const toNoticeName = (approval: StoredChange): string =>
  approval.listName == null ? parseApprovedContents(approval).name : `list ${approval.listName}`;
