// The audit row of a mutating route: who, what, on which record, with which outcome (document 3, section 2).
import type { AppError } from '../../errors.ts';
import type { AuditEvent } from '../../domain/record/audit-event.ts';
import type { Services } from '../../composition/services.ts';
import type { AuditDetails, Reply, RequestMeta, Route } from '../declaration/define-route.ts';
import type { Caller } from '../../domain/identity/tenant.ts';
import type { Request } from 'express';

interface Circumstances {
  route: Route;
  req: Request;
  meta: RequestMeta;
  caller: Caller | null;
}

/** Refusals that are no attempt at anything: a malformed or mistyped request, an unknown record, too many requests. */
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

/** The record that the path names. */
function named({ params }: Request): string | undefined {
  return (params.id ?? params.userId) as string | undefined;
}

function idOf(data: unknown): string | undefined {
  const id = (data as { _id?: { toString(): string } } | null | undefined)?._id;
  return id?.toString();
}

/** The rows of a success; none where the route declares no audit. What only the handler knows comes as `audit` of its reply. */
export function auditEvents(
  circumstances: Circumstances,
  reply: Reply<number, unknown>,
): AuditEvent[] {
  if (!circumstances.route.audit) return [];
  return [reply.parts.audit ?? {}].flat().map((facts) =>
    rowOf(circumstances, 'success', {
      resourceId: facts.resourceId ?? named(circumstances.req) ?? idOf(reply.data),
      ...facts,
    }),
  );
}

/** Writes the row of a caller who is known and was refused by role, plan or rule, or whose change failed. */
export async function auditFailure(
  circumstances: Circumstances,
  error: AppError,
  services: Services,
): Promise<void> {
  const { route, caller, req } = circumstances;
  if (!route.audit || !caller || error.http < 400 || NOT_AUDITED.has(error.code)) return;
  const resourceId = named(req);
  await services.audit.write(
    rowOf(circumstances, 'failure', {
      ...(resourceId ? { resourceId } : {}),
      metadata: { code: error.code },
    }),
  );
}

function rowOf(
  { route, meta, caller }: Circumstances,
  status: 'success' | 'failure',
  facts: Partial<{ [K in keyof AuditDetails]: AuditDetails[K] | undefined }>,
): AuditEvent {
  if (!route.audit) throw new Error(`${route.method} ${route.path} declares no audit entry`);
  const organizationId = facts.organizationId ?? caller?.tenant.organizationId;
  if (organizationId === undefined)
    throw new Error(`${route.audit.action}: no organisation to audit in`);
  const keyActor = actorOf(caller);
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

/** Who acted when it was no user. */
function actorOf(caller: Caller | null): { actor?: string; tokenId?: string } {
  if (caller?.key) return { actor: `${caller.key.kind}:${caller.key.keyId}` };
  const tokenId = caller?.scimTokenId;
  return tokenId === undefined ? {} : { actor: `scim:${tokenId}`, tokenId };
}
