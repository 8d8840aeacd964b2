// The audit row of a mutating route: who, what, on which record, with which outcome (document 3, section 2).
import type { AppError } from '../../errors.ts';
import type { AuditEvent } from '../../domain/record/audit-event.ts';
import type { AuditDetails, Reply, RequestMeta, Route } from '../declaration/define-route.ts';
import type { Caller } from '../../domain/identity/tenant.ts';
import type { Request } from 'express';
import { writeAudit } from '../../identity/audit/audit.service.ts';
import type { Platform } from '../../platform/platform.ts';

interface AuditContext {
  route: Route;
  req: Request;
  meta: RequestMeta;
  caller: Caller | null;
}

/** Failures without an audit entry: malformed requests, unknown records, too many requests. */
const NOT_AUDITED = new Set([
  'VALIDATION_ERROR',
  'SVC_VALIDATION_FAILED',
  'INVALID_IDS',
  'INVALID_STATUS',
  'INVALID_INPUT',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

/** Reads the id in the path: `id` or `userId`. */
function readPathId({ params }: Request): string | undefined {
  return (params.id ?? params.userId) as string | undefined;
}

function readDataId(data: unknown): string | undefined {
  const id = (data as { _id?: { toString(): string } } | null | undefined)?._id;
  return id?.toString();
}

/**
 * Creates the audit rows of a successful request; none where the route declares no audit. The reply's `audit` adds
 * what only the handler knows.
 */
export function createAuditEvents(
  context: AuditContext,
  reply: Reply<number, unknown>,
): AuditEvent[] {
  if (!context.route.audit) return [];
  return [reply.parts.audit ?? {}].flat().map((facts) =>
    createAuditRow(context, 'success', {
      resourceId: facts.resourceId ?? readPathId(context.req) ?? readDataId(reply.data),
      ...facts,
    }),
  );
}

/** Writes the audit row of a mutation that was refused or failed; anonymous callers are not audited. */
export async function writeFailureAudit(
  platform: Platform,
  context: AuditContext,
  error: AppError,
): Promise<void> {
  const { route, caller, req } = context;
  if (!route.audit || !caller || error.http < 400 || NOT_AUDITED.has(error.code)) return;
  const resourceId = readPathId(req);
  await writeAudit(
    platform,
    createAuditRow(context, 'failure', {
      ...(resourceId ? { resourceId } : {}),
      metadata: { code: error.code },
    }),
  );
}

function createAuditRow(
  { route, meta, caller }: AuditContext,
  status: 'success' | 'failure',
  facts: Partial<{ [K in keyof AuditDetails]: AuditDetails[K] | undefined }>,
): AuditEvent {
  if (!route.audit) throw new Error(`${route.method} ${route.path} declares no audit`);
  const organizationId = facts.organizationId ?? caller?.tenant.organizationId;
  if (organizationId === undefined)
    throw new Error(`${route.audit.action}: the audit event has no organisation`);
  const keyActor = describeActor(caller);
  return {
    organizationId,
    workspaceId: caller?.tenant.workspaceId ?? null,
    userId: facts.userId ?? caller?.user?.userId ?? null,
    userEmail: facts.userEmail ?? caller?.user?.email ?? null,
    userRole: facts.userRole ?? caller?.role ?? 'member',
    action: facts.action ?? route.audit.action,
    resource: route.audit.resource,
    resourceId: facts.resourceId ?? null,
    status,
    detail: facts.detail ?? null,
    metadata: { ...keyActor, ...facts.metadata },
    ipAddress: meta.ip || null,
    userAgent: meta.userAgent,
  };
}

/** Names the API key or SCIM token that acted instead of a user. */
function describeActor(caller: Caller | null): { actor?: string; tokenId?: string } {
  if (caller?.key) return { actor: `${caller.key.kind}:${caller.key.keyId}` };
  const tokenId = caller?.scimTokenId;
  return tokenId === undefined ? {} : { actor: `scim:${tokenId}`, tokenId };
}
