// Turns an administrative event into the draft to be sealed: committed values, payload, digest (formats.md).
import type { Json } from '@assay/json';
import type { AuditEvent } from '../../domain/record/audit-event.ts';
import { computePayloadDigest } from '../../domain/record/chain.ts';
import { commitValues } from '../../domain/record/commitments.ts';
import { type Actor, createAuditPayload } from '../../domain/record/payload.ts';
import type { Draft } from '../../ledger/entry.ts';
import type { AuditEntryDocument } from './audit.model.ts';
import type { AuditRow } from './audit.service.ts';

/** @param random16 draws the 16 bytes of a seed */
export function toAuditDraft(
  { auditId, event }: AuditRow,
  random16: () => Buffer,
): Draft<AuditEntryDocument> {
  const { organizationId, workspaceId, userId, action, resource, resourceId, status, detail } =
    event;
  const { sealed, commitments } = commitValues(toCommittedValues(event), random16);
  const view = createAuditPayload({
    organizationId,
    workspaceId,
    actor: toActor(event),
    auditId,
    action,
    status,
    resource,
    resourceId,
    commitments,
  });
  return {
    organizationId,
    kind: 'audit',
    traceId: null,
    payload: view,
    payloadDigest: computePayloadDigest(view),
    fields: { auditId, workspaceId, userId, action, resource, resourceId, status, detail, sealed },
    idempotencyKey: auditId,
    monthlyLimit: null,
  };
}

/** Values that may be personal: committed to, but not in the payload. */
function toCommittedValues(event: AuditEvent): Record<string, Json> {
  const { userEmail, userRole, ipAddress, userAgent, detail, metadata } = event;
  // Metadata may hold dates and undefined members; their JSON form is committed.
  const plain = JSON.parse(JSON.stringify(metadata)) as Json;
  return { userEmail, userRole, ipAddress, userAgent, detail, metadata: plain };
}

function toActor({ userId, metadata }: AuditEvent): Actor {
  if (userId !== null) return { kind: 'user', id: userId };
  const [kind, id] = typeof metadata.actor === 'string' ? metadata.actor.split(':') : [];
  return kind === 'workspaceKey' || kind === 'agentKey'
    ? { kind, id: id ?? null }
    : { kind: 'system', id: null };
}
