// Requests that come again: within 24 hours an equal one gets the same answer.
import type { Json } from '@assay/json';
import type { EntryPromise } from '@assay/tlog';
import { deriveAgentMark } from '../../../domain/agents/agent-mark.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';
import { findDeprecationHeaders } from '../../../domain/record/schema-versions.ts';
import { AppError } from '../../../errors.ts';
import { resolveAgent } from '../../../identity/agents/agent-resolver.service.ts';
import type { Context } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { getTraceNeighbours } from '../neighbours.service.ts';
import { noteAsk } from '../review/callers/review-asks.service.ts';
import type { IngestAnswer } from '../traces.schemas.ts';
import { deriveIdempotencyKey } from './idempotency.ts';
import {
  findAnsweredAct,
  type ReplayableTrace,
  type StoredTrace,
  toIngestAnswer,
} from './ingest-answer.ts';
import type { IngestionRequest } from './ingestion-request.ts';
import { readHeader } from './request-checks.ts';

export interface IngestResult {
  answer: IngestAnswer;
  /** True if an equal request got this answer before. */
  isReplay: boolean;
  /** Headers that announce the end of a deprecated schema version. */
  deprecation: Readonly<Record<string, string>>;
}

/** Who repeats a request. */
interface ReplayContext extends Context {
  key?: Pick<Key, 'agentId'> | undefined;
}

/** Whether a decision is that of an agent, as a request names it. */
export async function isSameAgent(
  ctx: Context,
  agentRef: string,
  { agentId, agentMark }: { agentId: string; agentMark: string | undefined },
): Promise<boolean> {
  const { platform, tenant } = ctx;
  if (agentMark !== undefined) return agentMark === toAgentMark(ctx, agentRef);
  const found = await resolveAgent(platform, tenant, agentRef);
  return agentId === (found?.agentId ?? agentRef);
}

/**
 * The answer that an equal request got within 24 hours; null if there was none.
 * @throws AppError `CONFLICT` when it was given to another agent, `DECISION_ERASED`
 */
export async function replayDecision(
  ctx: ReplayContext,
  request: IngestionRequest,
): Promise<IngestResult | null> {
  const [found = null] = await findReplays(ctx, [request]);
  if (found instanceof AppError) throw found;
  return found;
}

/** Likewise for several requests, in their order; an error stands for one that is refused. */
export async function findReplays(
  ctx: ReplayContext,
  requests: readonly IngestionRequest[],
): Promise<(IngestResult | AppError | null)[]> {
  const { platform, tenant, key: by } = ctx;
  const keyed = requests.map((request) => {
    const agentRef = readAgentId(request.sent) ?? by?.agentId ?? null;
    return { agentRef, key: findIdempotencyKey(ctx, agentRef, request) };
  });
  const keys = keyed.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return keyed.map(() => null);
  const entries = await platform.ledger.appender.findReplays(tenant.organizationId, keys);
  const answer = async (agentRef: string | null, entry: StoredTrace) => {
    await requireSameAgent(ctx, agentRef, entry);
    return repeatAnswer(platform, entry);
  };
  return Promise.all(
    keyed.map(async ({ agentRef, key }) => {
      const entry = key && entries.get(key.toString('base64'));
      return entry ? answer(agentRef, entry).catch(keepAppError) : null;
    }),
  );
}

export function findIdempotencyKey(
  { platform, tenant: { organizationId } }: Context,
  agentId: string | null,
  { headers, rawBody }: IngestionRequest,
): Buffer | null {
  const header = readHeader(headers, 'idempotency-key');
  return deriveIdempotencyKey(platform.secrets.ledgerKey, {
    organizationId,
    header,
    agentId,
    rawBody,
  });
}

export const toAgentMark = (
  { platform, tenant: { organizationId } }: Context,
  agentRef: string,
): string => deriveAgentMark(platform.secrets.ledgerKey, organizationId, agentRef);

/**
 * A replay needs the same agent, within the agents and the workspace of the caller's key.
 * @param agentRef the agent as the repeated request names it; null if that cannot be read
 * @throws AppError `CONFLICT`, `DECISION_ERASED`
 */
export async function requireSameAgent(
  ctx: Context,
  agentRef: string | null,
  entry: ReplayableTrace,
): Promise<void> {
  const { agentId, answer } = entry;
  requireReplayable(ctx.tenant, entry);
  if (agentRef === null) return;
  if (!(await isSameAgent(ctx, agentRef, { agentId, agentMark: answer.agentMark })))
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
}

/** Answers a repeated request, unless its action is halted by now; its entry is promised again. @throws AppError `HALTED` */
export async function repeatAnswer(platform: Platform, trace: StoredTrace): Promise<IngestResult> {
  const organizationId = trace.organizationId.toHexString();
  const act = findAnsweredAct(trace);
  if (act) await platform.ledger.halts.requireFree(organizationId, act);
  await noteAsk(platform, organizationId, trace);
  const promise = await getTraceNeighbours(platform).signEntry(organizationId, trace);
  return toIngested(trace, { isReplay: true, promise });
}

/** @throws AppError `CONFLICT` beyond the workspace and the agents of the caller's key, `DECISION_ERASED` */
function requireReplayable(
  { workspaceId, agentIds }: Tenant,
  { workspaceId: place, agentId, deletedAt }: ReplayableTrace,
): void {
  if (workspaceId !== null && workspaceId !== place)
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another workspace');
  if (agentIds !== null && !agentIds.includes(agentId))
    throw new AppError('CONFLICT', 'The Idempotency-Key is that of another agent');
  if (deletedAt) throw new AppError('DECISION_ERASED');
}

export function toIngested(
  trace: ReplayableTrace,
  { isReplay, promise }: { isReplay: boolean; promise: EntryPromise | null },
): IngestResult {
  return {
    answer: toIngestAnswer(trace, promise),
    isReplay,
    deprecation: findDeprecationHeaders(trace.schemaVersion),
  };
}

function keepAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** Reads the agent from a body that may be invalid; null if it is missing or blank. */
function readAgentId(sent: Json | undefined): string | null {
  const agentId = typeof sent === 'object' && sent && 'agentId' in sent ? sent.agentId : null;
  return typeof agentId === 'string' ? agentId.trim() || null : null;
}
