// Judges and drafts decisions: small ones here, large ones in a thread, with the same outcome.
import type { JsonObject } from '@assay/json';
import type { ReviewSla } from '@assay/policy';
import type { KeyContext } from '../../../platform/context.ts';
import type { SessionRules } from '../../../domain/sessions/session-rules.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { RequestOrigin } from '../../../platform/threads/thread-pool.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody } from '../traces.schemas.ts';
import type { SentBody } from './body-judge.ts';
import {
  type DraftContext,
  draftDecision,
  MAX_SEEDS,
  readActorNames,
  readRawAction,
  readRequestedExpiry,
} from './draft.ts';
import type { IngestionCaller, IngestionRequest } from './ingestion-request.ts';
import { evaluateSubmission, type JudgeInput } from './judge.ts';
import { openLargeBodies, InspectedBody, type InspectedLarge } from './large-bodies.ts';
import { readHeader } from './request-checks.ts';

/** Everything that a decision is judged by, and what becomes of it. */
export interface JudgingContext extends JudgeInput {
  traceId: string;
  workspaceId: string;
  reviewSla: ReviewSla;
  reviewExpiresIn: number | null;
  nationalIds: boolean;
  sessionRules: SessionRules;
  /** Keys the digests of effects and actors. */
  effectSecret: string;
}

/** A checked request with everything that its decision is judged by. */
export interface AcceptedRequest {
  ctx: KeyContext;
  request: IngestionRequest;
  judging: JudgingContext;
  schemaVersion: string;
  /** Present if the decision names no registered agent. */
  agentMark: string | undefined;
  idempotencyKey: Buffer | null;
  monthlyLimit: number | null;
}

/**
 * Parses and checks a large body.
 * @throws AppError `SERVICE_UNAVAILABLE`
 */
export function inspectLargeBody(
  ctx: KeyContext,
  request: IngestionRequest,
): Promise<InspectedLarge> {
  const serviceVersion = readHeader(request.headers, 'x-service-version');
  return openLargeBodies(ctx.platform).inspect(
    { ...toSentBody(request), serviceVersion, now: ctx.platform.clock.now() },
    toOrigin(ctx, request),
  );
}

/** @throws AppError `SERVICE_UNAVAILABLE` for a large body */
export function draftAccepted(
  body: IngestBody | InspectedBody,
  accepted: AcceptedRequest,
): Draft<TraceDocument> | Promise<Draft<TraceDocument>> {
  // A small body is JSON, since it came through the strict parser.
  return body instanceof InspectedBody
    ? draftLarge(body, accepted)
    : draftSmall(body as JsonObject, accepted);
}

function draftSmall(body: JsonObject, accepted: AcceptedRequest): Draft<TraceDocument> {
  const { generateId, draw16Bytes } = accepted.ctx.platform;
  return draftDecision({
    context: toDraftContext(accepted),
    judged: evaluateSubmission(body, accepted.judging),
    rawAction: readRawAction(body),
    actorNames: readActorNames(body, accepted.judging.principal),
    requestedExpiry: readRequestedExpiry(body),
    rawBody: accepted.request.rawBody,
    idempotencyKey: accepted.idempotencyKey,
    monthlyLimit: accepted.monthlyLimit,
    newReviewId: () => toObjectId(generateId()),
    draw16Bytes,
  });
}

async function draftLarge(
  { bodyId }: InspectedBody,
  accepted: AcceptedRequest,
): Promise<Draft<TraceDocument>> {
  const { ctx, request, judging, idempotencyKey, monthlyLimit } = accepted;
  const { generateId, draw16Bytes } = ctx.platform;
  const context = toDraftContext(accepted);
  const { agentPolicies, history, nationalIds } = judging;
  const seeds = Buffer.concat(Array.from({ length: MAX_SEEDS }, draw16Bytes));
  const judged = {
    bodyId,
    context,
    agentPolicies,
    history,
    nationalIds,
    reviewId: generateId(),
    seeds,
  };
  const draft = await openLargeBodies(ctx.platform).draft(
    { ...toSentBody(request), ...judged },
    judging,
    toOrigin(ctx, request),
  );
  return { ...draft, idempotencyKey, monthlyLimit };
}

/** Without spreads: they would cost more than the rest of the call. */
function toDraftContext({
  ctx,
  request,
  judging,
  schemaVersion,
  agentMark,
}: AcceptedRequest): DraftContext {
  const { organizationId, actor } = ctx.tenant;
  return {
    tenant: { organizationId, actor },
    traceId: judging.traceId,
    workspaceId: judging.workspaceId,
    reviewSla: judging.reviewSla,
    reviewExpiresIn: judging.reviewExpiresIn,
    agent: judging.agent,
    at: judging.at,
    logPayloads: judging.agentPolicies.logPayloads,
    schemaVersion,
    policySetDigest: judging.policies.digest,
    scrubVersion: judging.scrubber.version,
    userAgent: request.userAgent,
    agentMark,
    effectSecret: judging.effectSecret,
    principal: judging.principal,
    halt: judging.halt,
    passed: judging.passed,
    grants: judging.grants,
    session: judging.session,
  };
}

const toSentBody = ({ rawBody, headers }: IngestionRequest): SentBody => ({
  rawBody,
  contentType: readHeader(headers, 'content-type'),
});

/** Organisations take turns, and within one its keys. */
const toOrigin = (
  { tenant, key }: IngestionCaller,
  { hasLeft }: IngestionRequest,
): RequestOrigin => ({ tenant: tenant.organizationId, client: key.keyId, isAbandoned: hasLeft });
