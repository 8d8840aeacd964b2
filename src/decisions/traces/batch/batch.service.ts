// Batches: many decisions in one request, each judged, sealed and answered as it would be alone.
import type { KeyContext } from '../../../platform/context.ts';
import { mayReplay, AbandonedError, AppError } from '../../../errors.ts';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  prepareDecision,
  sealDecision,
  type PreparedDecision,
} from '../ingestion/ingestion.service.ts';
import { findReplays, type IngestResult } from '../ingestion/repeated-requests.service.ts';
import type { IngestionRequest } from '../ingestion/ingestion-request.ts';
import { openLargeBodies } from '../ingestion/large-bodies.ts';
import { readHeader } from '../ingestion/request-checks.ts';
import { toBatchAnswer } from './batch-answer.ts';
import { BatchItem, type ObservedDecision, readItem, readObserved } from './batch-items.ts';
import type { BatchAnswer } from './batch.schemas.ts';

/** The parts of the request that matter besides its decisions. */
export interface BatchRequest extends Pick<IngestionRequest, 'headers' | 'userAgent' | 'hasLeft'> {
  /** How many of the last decisions are past a limit, and what says so. */
  overLimit?: { count: number; error: AppError } | undefined;
  /** Called when the decisions are judged: what is left is waiting. */
  endComputing?: () => void;
}

/** The result for one decision: recorded, now or before, or refused. */
export type BatchOutcome = IngestResult | AppError;

/** Milliseconds after which the judging of a batch lets other requests be served. */
const TURN_MS = 4;

/**
 * Judges decisions, seals them together, and answers in their order when all are durable. None refuses another. A
 * caller who leaves while they are judged leaves none; from then on all are completed.
 * @param decisions JSON values, or items that were read
 * @throws AppError `SVC_VALIDATION_FAILED` for a key of the whole batch; what is thrown else is a fault, and each
 * decision may be sent again
 */
export async function recordBatch(
  ctx: KeyContext,
  decisions: readonly unknown[],
  request: BatchRequest,
): Promise<BatchOutcome[]> {
  requireOwnKeys(request);
  const items = await readItems(ctx.platform, decisions);
  const { count = 0, error = null } = request.overLimit ?? {};
  const prepared = await prepareItems(ctx, items.slice(0, items.length - count), request);
  for (let past = 0; past < count && error; past++) prepared.push(error);
  request.endComputing?.();
  // All are queued before the first is appended, so that they are appended together.
  const outcomes = await Promise.all(prepared.map((one) => sealItem(ctx, one)));
  return answerRepeated(ctx, { items, request }, outcomes);
}

/**
 * Parses and checks a large batch in a thread.
 * @throws AppError `SERVICE_UNAVAILABLE`
 */
export async function inspectLargeBatch(
  { platform, tenant, key }: KeyContext,
  { rawBody, headers, hasLeft }: IngestionRequest,
): Promise<{ sent: undefined; body: { decisions: BatchItem[] } | AppError }> {
  const body = await openLargeBodies(platform).inspectBatch(
    {
      rawBody,
      contentType: readHeader(headers, 'content-type'),
      serviceVersion: readHeader(headers, 'x-service-version'),
      now: platform.clock.now(),
    },
    { tenant: tenant.organizationId, client: key.keyId, isAbandoned: hasLeft },
  );
  if (body instanceof AppError) return { sent: undefined, body };
  const decisions = body.decisions.map((item) => new BatchItem(item));
  return { sent: undefined, body: { decisions } };
}

/** Reads a decision after the fact, to be recorded in a batch. @throws UnsafeJson */
export const readObservedItem = (observed: ObservedDecision): BatchItem => readObserved(observed);

/**
 * Records a batch, and answers each decision as it would have been answered alone.
 * @throws AppError as `recordBatch` does
 */
export async function ingestBatch(
  ctx: KeyContext,
  decisions: readonly unknown[],
  request: BatchRequest,
): Promise<{ results: BatchAnswer[]; deprecation: Readonly<Record<string, string>> }> {
  const outcomes = await recordBatch(ctx, decisions, request);
  const notices = outcomes.map((one) => (one instanceof AppError ? {} : one.deprecation));
  return { results: outcomes.map(toBatchAnswer), deprecation: Object.assign({}, ...notices) };
}

/** Reads the decisions that were not read in a thread. */
async function readItems(platform: Platform, decisions: readonly unknown[]): Promise<BatchItem[]> {
  const items: BatchItem[] = [];
  const rest = createRests(platform);
  for (const one of decisions) {
    items.push(one instanceof BatchItem ? one : readItem(one));
    await rest();
  }
  return items;
}

/** Lets other requests be served from time to time. */
function createRests(platform: Platform): () => Promise<void> {
  let turn = platform.clock.now().getTime();
  return async () => {
    const now = platform.clock.now().getTime();
    if (Math.abs(now - turn) < TURN_MS) return;
    await yieldToEventLoop();
    turn = now;
  };
}

async function prepareItem(
  ctx: KeyContext,
  item: BatchItem,
  request: BatchRequest,
): Promise<PreparedDecision | AppError> {
  const { body } = item;
  if (body instanceof AppError) return body;
  return prepareDecision(ctx, body, toItemRequest(item, request)).catch(keepRefusal);
}

/** Prepares the decisions in order; once the server is too busy for one, the rest is refused as well. */
async function prepareItems(
  ctx: KeyContext,
  items: readonly BatchItem[],
  request: BatchRequest,
): Promise<(PreparedDecision | AppError)[]> {
  const prepared: (PreparedDecision | AppError)[] = [];
  let busy: AppError | null = null;
  const rest = createRests(ctx.platform);
  for (const item of items) {
    if (request.hasLeft()) throw new AbandonedError();
    const outcome: PreparedDecision | AppError = busy ?? (await prepareItem(ctx, item, request));
    if (outcome instanceof AppError && outcome.http === 503) busy = outcome;
    prepared.push(outcome);
    await rest();
  }
  return prepared;
}

const sealItem = async (
  ctx: KeyContext,
  prepared: PreparedDecision | AppError,
): Promise<BatchOutcome> =>
  prepared instanceof AppError ? prepared : sealDecision(ctx, prepared).catch(keepRefusal);

/** Answers what was recorded before and is refused now, as a repetition of a single decision is. */
async function answerRepeated(
  ctx: KeyContext,
  { items, request }: { items: readonly BatchItem[]; request: BatchRequest },
  outcomes: readonly BatchOutcome[],
): Promise<BatchOutcome[]> {
  const refused = items.filter((_, index) => isRepeatable(outcomes[index]));
  if (refused.length === 0) return [...outcomes];
  const requests = refused.map((item) => toItemRequest(item, request));
  const replays = (await findReplays(ctx, requests)).values();
  return outcomes.map((outcome) =>
    isRepeatable(outcome) ? (replays.next().value ?? outcome) : outcome,
  );
}

/** A decision of a batch as a request of its own. */
const toItemRequest = (
  { idempotencyKey, rawBody, sent, observed }: BatchItem,
  { headers, userAgent, hasLeft }: BatchRequest,
): IngestionRequest => ({
  headers: {
    'idempotency-key': idempotencyKey,
    'x-service-version': readHeader(headers, 'x-service-version'),
  },
  userAgent,
  rawBody,
  hasLeft,
  sent,
  ...(observed && { observed }),
});

/** @throws AppError `SVC_VALIDATION_FAILED` */
function requireOwnKeys({ headers }: BatchRequest): void {
  if (readHeader(headers, 'idempotency-key') === undefined) return;
  throw new AppError(
    'SVC_VALIDATION_FAILED',
    'Idempotency-Key: a batch has none; each decision may have its member idempotencyKey',
  );
}

/** Returns a refusal of one decision; what is wrong with the server fails the whole batch. */
function keepRefusal(error: unknown): AppError {
  if (error instanceof AppError && (error.http < 500 || error.http === 503)) return error;
  throw error;
}

const isRepeatable = (outcome: BatchOutcome | undefined): boolean =>
  outcome instanceof AppError && mayReplay(outcome);
