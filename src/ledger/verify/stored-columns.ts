// Checks the immutable plain columns of an entry against its payload and its committed values.
import { isDeepStrictEqual } from 'node:util';
import { isId } from '../../domain/record/payload-members.ts';
import type { AuditPayload, TracePayload, Payload } from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';
import { type SealedValues, sealedOf } from './committed-values.ts';

/** Column values by name; undefined: no stored value tells. */
type Expected = Record<string, unknown>;

/** The names of the columns that differ; absent and null are the same. */
export function differingColumns(entry: Stored, payload: Payload): string[] {
  const differing = [
    ...differences(entry, everyKind(payload)),
    ...differences(entry, ofKind(entry, payload)),
  ];
  if (entry.organizationId?.toHexString() !== payload.organizationId)
    differing.push('organizationId');
  if (payload.kind === 'audit' && !isAbout(payload, entry.resourceId)) differing.push('resourceId');
  return differing;
}

/** The members of `expected` that `actual` does not hold. */
export function differences(
  actual: Readonly<Record<string, unknown>>,
  expected: Expected,
): string[] {
  const differing: string[] = [];
  for (const name in expected) {
    const value = expected[name];
    if (value !== undefined && !isSame(actual[name], value)) differing.push(name);
  }
  return differing;
}

function isSame(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return (actual ?? null) === expected;
  return isDeepStrictEqual(actual, expected);
}

function everyKind(payload: Payload): Expected {
  const after = 'after' in payload ? payload.after : null;
  return { kind: payload.kind, traceId: payload.traceId, after: after?.sequence ?? null };
}

function ofKind(entry: Stored, payload: Payload): Expected {
  if (payload.kind === 'trace') return traceColumns(payload, sealedOf(entry));
  return payload.kind === 'audit' ? auditColumns(payload, sealedOf(entry)) : {};
}

interface Origin {
  agentId: string | null;
  agentVersion: string | null;
  timestamp: string | null;
  clientInfo: unknown;
}

interface Evaluation {
  at: string;
  confidenceScore: number;
  tags: string[];
  matchedPolicies: { id: string; actions: unknown[] }[];
}

function traceColumns(payload: TracePayload, sealed: SealedValues): Expected {
  const origin = valueOf<Origin>(sealed, 'origin');
  const evaluation = valueOf<Evaluation>(sealed, 'evaluation');
  return {
    workspaceId: payload.workspaceId,
    schemaVersion: payload.schemaVersion,
    verdict: payload.status,
    scrub: { rulesVersion: payload.scrubVersion },
    agentId: payload.agent ?? origin?.agentId,
    agentVersion: origin?.agentVersion,
    clientInfo: origin?.clientInfo,
    timestamp: timestampOf(origin, evaluation),
    confidenceScore: evaluation?.confidenceScore,
    tags: evaluation?.tags,
    // The evaluation also names policies that failed without matching, with no action taken.
    matchedPolicyIds: evaluation?.matchedPolicies
      .filter(({ actions }) => actions.length > 0)
      .map(({ id }) => id),
    latency: latencyOf(payload, sealed),
  };
}

function timestampOf(
  origin: Origin | undefined,
  evaluation: Evaluation | undefined,
): Date | undefined {
  const text = origin && (origin.timestamp ?? evaluation?.at);
  return text === undefined ? undefined : new Date(text);
}

function latencyOf({ commitments }: TracePayload, sealed: SealedValues): number | null | undefined {
  if (commitments.metadata === undefined) return null;
  const metadata = valueOf<{ latencyMs?: unknown }>(sealed, 'metadata');
  return metadata && (typeof metadata.latencyMs === 'number' ? metadata.latencyMs : null);
}

function auditColumns(payload: AuditPayload, sealed: SealedValues): Expected {
  const { auditId, action, status, resource, workspaceId, actor, commitments } = payload;
  return {
    auditId,
    action,
    status,
    resource,
    workspaceId,
    userId: actor.kind === 'user' ? actor.id : null,
    detail: commitments.detail === undefined ? null : valueOf<string>(sealed, 'detail'),
  };
}

/** A payload names a resource only by an id of 24 hex digits. */
function isAbout({ resourceId }: AuditPayload, stored: unknown): boolean {
  if (typeof stored === 'string' && isId(stored)) return stored === resourceId;
  return resourceId === null;
}

/** A committed value; undefined when it is not kept or not readable. */
function valueOf<T>(sealed: SealedValues, name: string): T | undefined {
  const text = sealed[name]?.text;
  if (typeof text !== 'string') return undefined;
  try {
    return (JSON.parse(text) ?? undefined) as T | undefined;
  } catch {
    return undefined;
  }
}
