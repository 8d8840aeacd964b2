// From a judged decision to what queues for sealing: commitments, view, digest and the stored members (docs/formats.md).
import { payloadDigest } from '../../domain/chain.ts';
import { parseClientInfo } from '../../domain/client-info.ts';
import { saltAt, sealValues } from '../../domain/commitments.ts';
import { ENGINE_VERSION } from '../../domain/confidence.ts';
import { sha256Hex } from '../../domain/chain.ts';
import type { Json } from '../../domain/json.ts';
import { hardLimit } from '../../domain/plans.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { traceView } from '../../domain/view.ts';
import type { Draft } from '../../ledger/entry.ts';
import type { KnownAgent } from '../agents/agents.service.ts';
import type { Judged } from './judge.ts';
import type { ReviewItem, TraceDocument, TraceFields } from './traces.model.ts';

export interface Drafting {
  tenant: Tenant;
  traceId: string;
  workspaceId: string;
  agent: KnownAgent | null;
  logPayloads: boolean;
  schemaVersion: string;
  policySetDigest: string;
  scrubVersion: string;
  judged: Judged;
  /** As the caller gave it, or null. */
  timestamp: string | null;
  agentVersion: string | null;
  userAgent: string | null;
  rawBody: Buffer;
  at: Date;
  once: Buffer | null;
  reviewId: () => ReviewItem['_id'];
  random16: () => Buffer;
}

/** What an agent that does not log payloads has committed to and not kept. */
const PAYLOAD = ['inputContext', 'outputDecision', 'rationale', 'alternatives'];
/** Free-form members that are committed to under their own name when present. */
const PASSED_ON = ['adapter', 'mlBomReference', 'art12', 'conversation', 'crew'];

export function draftOf(drafting: Drafting): Draft {
  const { tenant, traceId, judged, agent } = drafting;
  const { sealed, commitments, unstored } = commit(drafting);
  const view = traceView({
    organizationId: tenant.organizationId,
    workspaceId: drafting.workspaceId,
    traceId,
    actor: tenant.actor,
    agent: agent?.agentId ?? null,
    schemaVersion: drafting.schemaVersion,
    status: judged.verdict,
    engineVersion: ENGINE_VERSION,
    policySetDigest: drafting.policySetDigest,
    scrubVersion: drafting.scrubVersion,
    unstored,
    commitments,
  });
  return {
    organizationId: tenant.organizationId,
    kind: 'trace',
    traceId,
    view,
    payloadDigest: payloadDigest(view),
    fields: { ...fieldsOf(drafting, unstored), sealed },
    once: drafting.once,
    monthlyLimit: hardLimit(tenant.plan),
  };
}

function commit({
  judged: { kept, evaluation },
  rawBody,
  agentVersion,
  timestamp,
  userAgent,
  logPayloads,
  random16,
}: Drafting) {
  const passedOn = Object.fromEntries(PASSED_ON.map((name) => [name, kept[name]]));
  const { agentId = null, inputContext, outputDecision, alternatives, triggeringCondition, metadata } = kept;
  const origin = { agentId, agentVersion, timestamp, clientInfo: parseClientInfo(userAgent) };
  const values = {
    submitted: sha256Hex(rawBody),
    origin,
    evaluation,
    inputContext,
    outputDecision,
    rationale: rationaleOf(kept),
    alternatives,
    triggeringCondition,
    metadata,
    ...passedOn,
  };
  const { sealed, commitments } = sealValues(values, random16);
  const unstored = logPayloads ? [] : PAYLOAD.filter((name) => name in sealed);
  for (const name of unstored) delete sealed[name];
  return { sealed, commitments, unstored };
}

function fieldsOf(
  {
    workspaceId,
    agent,
    judged,
    schemaVersion,
    timestamp,
    agentVersion,
    userAgent,
    at,
    scrubVersion,
    reviewId,
  }: Drafting,
  unstored: readonly string[],
): Omit<TraceFields, 'sealed'> {
  const { kept, verdict, confidenceScore, tags, policy, matchedPolicyIds } = judged;
  const latency = (kept.metadata as { latencyMs?: Json } | undefined)?.latencyMs;
  return {
    workspaceId,
    agentId: agent?.agentId ?? (kept.agentId as string),
    agentName: agent?.name ?? null,
    agentVersion,
    schemaVersion,
    status: verdict,
    verdict,
    confidenceScore,
    tags,
    humanOverride: false,
    timestamp: timestamp === null ? at : new Date(timestamp),
    rationale: unstored.includes('rationale') ? null : rationaleOf(kept),
    triggeringCondition: (kept.triggeringCondition as string | undefined) ?? null,
    clientInfo: parseClientInfo(userAgent),
    answer: { policy },
    matchedPolicyIds,
    latency: typeof latency === 'number' ? latency : null,
    scrub: { rulesVersion: scrubVersion },
    ...(verdict === 'flagged' && {
      review: { _id: reviewId(), status: 'pending', priority: 'medium', workflowStep: 1 },
    }),
  };
}

function rationaleOf(kept: Judged['kept']): string | null {
  const inside = (kept.outputDecision as { rationale?: Json } | undefined)?.rationale;
  const rationale = kept.rationale ?? inside;
  return typeof rationale === 'string' ? rationale : null;
}

/** What ingestion answers, and what a repetition is answered: taken from the stored document alone. */
export function answerOf(trace: TraceDocument) {
  const { traceId, agentId, verdict, confidenceScore, tags, answer, createdAt, sequence, chainHash, sealed } = trace;
  const salt = saltAt(sealed.submitted?.seed ?? '', '');
  return {
    traceId: traceId ?? '',
    agentId,
    status: verdict,
    confidenceScore,
    tags,
    matchedPolicy: answer.policy,
    createdAt,
    hashChain: { sequence, chainHash, salt },
  };
}
