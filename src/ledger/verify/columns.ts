// Plain columns that never change against what the view says and the committed values hold.
import { isEqual } from '../../domain/record/equal.ts';
import { isId } from '../../domain/record/payload-members.ts';
import type { AuditPayload, TracePayload, Payload } from '../../domain/record/payload.ts';
import type { Stored } from '../entry.ts';
import { type SealedValues, sealedOf } from './values.ts';

/** What a column must hold; undefined: nothing that is kept says so. */
type Expected = Record<string, unknown>;

/** The names of the columns that differ. Absent and null are the same. */
export function differingColumns(entry: Stored, view: Payload): string[] {
  const differing = [
    ...differences(entry, everyKind(view)),
    ...differences(entry, ofKind(entry, view)),
  ];
  if (entry.organizationId?.toHexString() !== view.organizationId) differing.push('organizationId');
  if (view.kind === 'audit' && !isAbout(view, entry.resourceId)) differing.push('resourceId');
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
  return isEqual(actual, expected);
}

function everyKind(view: Payload): Expected {
  const after = 'after' in view ? view.after : null;
  return { kind: view.kind, traceId: view.traceId, after: after?.sequence ?? null };
}

function ofKind(entry: Stored, view: Payload): Expected {
  if (view.kind === 'trace') return traceColumns(view, sealedOf(entry));
  return view.kind === 'audit' ? auditColumns(view, sealedOf(entry)) : {};
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

function traceColumns(view: TracePayload, sealed: SealedValues): Expected {
  const origin = valueOf<Origin>(sealed, 'origin');
  const evaluation = valueOf<Evaluation>(sealed, 'evaluation');
  return {
    workspaceId: view.workspaceId,
    schemaVersion: view.schemaVersion,
    verdict: view.status,
    scrub: { rulesVersion: view.scrubVersion },
    agentId: view.agent ?? origin?.agentId,
    agentVersion: origin?.agentVersion,
    clientInfo: origin?.clientInfo,
    timestamp: timestampOf(origin, evaluation),
    confidenceScore: evaluation?.confidenceScore,
    tags: evaluation?.tags,
    // A policy that failed without matching is named in the evaluation too, with no action taken.
    matchedPolicyIds: evaluation?.matchedPolicies
      .filter(({ actions }) => actions.length > 0)
      .map(({ id }) => id),
    latency: latencyOf(view, sealed),
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

function auditColumns(view: AuditPayload, sealed: SealedValues): Expected {
  const { auditId, action, status, resource, workspaceId, actor, commitments } = view;
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

/** A resource that has no id of ours stands in no view. */
function isAbout({ resourceId }: AuditPayload, stored: unknown): boolean {
  if (typeof stored === 'string' && isId(stored)) return stored === resourceId;
  return resourceId === null;
}

/** A committed value that is kept and readable. */
function valueOf<T>(sealed: SealedValues, name: string): T | undefined {
  const text = sealed[name]?.text;
  if (typeof text !== 'string') return undefined;
  try {
    return (JSON.parse(text) ?? undefined) as T | undefined;
  } catch {
    return undefined;
  }
}
