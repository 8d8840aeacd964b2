// The columns of a stored audit entry, declared once for its model and for verification.
import type { AuditPayload } from '../../domain/record/payload.ts';
import { isGeneratedId } from '../../domain/record/payload-members.ts';
import { defineColumns } from '../../ledger/columns.ts';
import type { AuditEntryDocument } from './audit.model.ts';

export const auditColumns = defineColumns<AuditEntryDocument, AuditPayload>({
  kind: 'audit',
  columns: {
    auditId: { type: String, from: ({ payload }) => payload.auditId },
    action: { type: String, from: ({ payload }) => payload.action },
    status: { type: String, from: ({ payload }) => payload.status },
    resource: { type: String, from: ({ payload }) => payload.resource },
    resourceId: { type: String, from: ({ payload, entry }) => deriveResourceId(payload, entry) },
    workspaceId: { type: String, from: ({ payload }) => payload.workspaceId },
    userId: {
      type: String,
      from: ({ payload: { actor } }) => (actor.kind === 'user' ? actor.id : null),
    },
    detail: {
      type: String,
      from: ({ payload, value }) =>
        payload.commitments.detail === undefined ? null : value<string>('detail'),
    },
  },
});

/** A payload names a resource only by an id of 24 hex digits; any other name is not verified. */
function deriveResourceId(
  { resourceId }: AuditPayload,
  stored: AuditEntryDocument,
): string | null | undefined {
  if (resourceId !== null) return resourceId;
  return typeof stored.resourceId === 'string' && isGeneratedId(stored.resourceId)
    ? null
    : undefined;
}
