// Converts proposed contents to stored JSON text and back: the database would change nested documents.
import { canonicalizeObject } from '@assay/json';
import type { ListChange } from '../../domain/policies/list-contents.ts';
import type { ToolsChange } from '../../domain/policies/tool-entries.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { PolicyContents } from '../policies.model.ts';
import type { PolicyApprovalDocument } from './policy-approvals.model.ts';

type StoredContents = Pick<PolicyApprovalDocument, 'contents' | 'digest'>;
type StoredChange = StoredContents & Pick<PolicyApprovalDocument, 'listName' | 'ofTools'>;

/** What is proposed: of a policy, a list, or tools. */
export type ProposedContents = PolicyContents | ListChange | ToolsChange;

/** Returns the contents as canonical JSON, and their digest. */
export function serializeContents(proposed: ProposedContents): StoredContents {
  const contents = canonicalizeObject(proposed);
  return { contents, digest: sha256Hex(contents) };
}

/** The contents of a proposed policy. */
export const parseApprovedContents = ({ contents }: StoredContents): PolicyContents =>
  JSON.parse(contents) as PolicyContents;

/** The proposed change of a list; null: it is one of a policy. */
export const parseListChange = ({ listName = null, contents }: StoredChange): ListChange | null =>
  listName === null ? null : (JSON.parse(contents) as ListChange);

/** The proposed change of tools; null: it is none. */
export const parseToolsChange = ({ ofTools, contents }: StoredChange): ToolsChange | null =>
  ofTools === true ? (JSON.parse(contents) as ToolsChange) : null;

/** What a change of a list or of tools is about; null: it is one of a policy, which has a name. */
export function describeOther(approval: StoredChange): string | null {
  if (approval.listName != null) return `list ${approval.listName}`;
  const names = parseToolsChange(approval)?.tools.map(({ name }) => name);
  return names ? `tools ${names.join(', ')}` : null;
}

/** What the change is about, as people read it. */
export const toNoticeName = (approval: StoredChange): string =>
  describeOther(approval) ?? parseApprovedContents(approval).name;
