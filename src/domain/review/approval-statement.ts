// What a person signs who approves: one state of one decision, with what follows from it (formats.md).
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { type Position, sha256Hex } from '../record/chain.ts';

export interface ApprovalPlace {
  organizationId: string;
  traceId: string;
  reviewId: string;
  /** The step that it counts for; null: nothing is counted. */
  step: number | null;
  actionDigest: string | null;
  /** The commitment while that action is in force. */
  rawAction: string | null;
  edits: Json | undefined;
  policySetDigest: string;
  expiresAt: Date | null;
  subject: Position;
  after: Position;
}

export const createApprovalStatement = ({
  edits,
  expiresAt,
  subject,
  after,
  ...place
}: ApprovalPlace): JsonObject => ({
  format: 'assay-approval/v1',
  decision: 'approve',
  ...place,
  edits: edits === undefined ? null : sha256Hex(canonicalize(edits)),
  expiresAt: expiresAt && expiresAt.toISOString(),
  subject: { sequence: subject.sequence, chainHash: subject.chainHash },
  after: { sequence: after.sequence, chainHash: after.chainHash },
});
