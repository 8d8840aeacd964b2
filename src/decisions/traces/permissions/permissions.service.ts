// Asks whether actions may be carried out now: decisions are recorded, and what is to be claimed is claimed at once.
import { isJsonObject, type Json, type JsonObject } from '@assay/json';
import type { Context, KeyContext } from '../../../platform/context.ts';
import { toReviewPage } from '../../../domain/events/decision-card.ts';
import { applyMergePatch } from '../../../domain/actions/merge-patch.ts';
import { hashAction } from '../../../domain/actions/proposed-action.ts';
import { AppError } from '../../../errors.ts';
import { readQuestion } from '../batch/batch-items.ts';
import { type BatchRequest, recordBatch } from '../batch/batch.service.ts';
import type { ClaimInput, ExecutionView } from '../executions/executions.schemas.ts';
import { claimExecution, listExecutions, endExecution } from '../executions/executions.service.ts';
import { replayDecision, type IngestResult } from '../ingestion/repeated-requests.service.ts';
import { loadTrace, type TraceDetails } from '../traces.service.ts';
import type { IngestAnswer } from '../traces.schemas.ts';

/** A decision that is asked for, and the key by which a repeated question finds it. */
export interface Question {
  decision: JsonObject;
  key: string;
}

/** The members of a decision's answer that a permission repeats. */
export interface PermittedDecision extends Pick<
  IngestAnswer,
  'traceId' | 'reviewId' | 'expiresAt' | 'matchedPolicy' | 'links'
> {
  hashChain: Pick<IngestAnswer['hashChain'], 'sequence' | 'chainHash'>;
}

export type Permission =
  /** `execution`: the claim that was made; null: none was required. `edited`: what a person approved instead. */
  | {
      state: 'allowed';
      answer: PermittedDecision;
      execution: ExecutionView | null;
      edited?: JsonObject;
    }
  | { state: 'held'; answer: PermittedDecision }
  /** `edited`: a person approved this instead, which the protocol of the caller cannot say. */
  | { state: 'refused'; answer: PermittedDecision; error: AppError; edited?: JsonObject };

/** A held action, as it was asked for. */
export interface HeldAction {
  traceId: string;
  action: JsonObject;
  /** Whether the protocol of the caller can say that an edited action is to be carried out instead. */
  mayEdit: (edited: JsonObject) => boolean;
}

export type AskRequest = Omit<BatchRequest, 'headers'>;

/** The reported outcome of an action, and how long it took. */
type Ending = Pick<Parameters<typeof endExecution>[2], 'outcome' | 'durationMs'>;

/** Seconds within which the outcome of a claimed action is due. */
const LEASE_SECONDS = 600;
/** Seconds that a single request waits for a verdict. */
const WAIT_SECONDS = 50;

/**
 * Records the decisions, and answers in their order whether each action may be carried out now. An error stands for
 * a decision that could not be recorded.
 * @throws AppError `SERVICE_UNAVAILABLE`, and what is a fault
 */
export async function askPermission(
  ctx: KeyContext,
  questions: readonly Question[],
  request: AskRequest,
): Promise<(Permission | AppError)[]> {
  const decisions = questions.map(({ decision, key }) => readQuestion(decision, key));
  const outcomes = await recordBatch(ctx, decisions, { ...request, headers: {} });
  const settled: (Permission | AppError)[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const question = questions[index];
    if (!question) break;
    settled.push(
      outcome instanceof AppError ? outcome : await settleQuestion(ctx, question, outcome),
    );
  }
  return settled;
}

/**
 * Waits for the verdict on a held decision, and claims its action once it is approved, with the edits of its
 * approval. An error stands for a decision that the caller does not see.
 * @throws AppError `SERVICE_UNAVAILABLE`
 */
export const waitForVerdict = (ctx: Context, held: HeldAction): Promise<Permission | AppError> =>
  settleHeld(ctx, held, WAIT_SECONDS);

/** Likewise; `wait`: in seconds. */
export async function settleHeld(
  ctx: Context,
  held: HeldAction,
  wait = 0,
): Promise<Permission | AppError> {
  const { traceId, action, mayEdit } = held;
  try {
    const trace = await loadTrace(ctx, traceId, wait);
    const answer = toPermitted(trace);
    const rawActionDigest = hashAction(action) ?? '';
    const edited = findEdited(trace, action);
    if (edited === null) return await claimAction(ctx, { rawActionDigest }, answer);
    if (!mayEdit(edited)) {
      const error = new AppError('APPROVAL_MISMATCH', 'It was approved with edits');
      return { state: 'refused', answer, error, edited };
    }
    const editedActionDigest = hashAction(edited) ?? '';
    const claimed = await claimAction(ctx, { rawActionDigest, action, editedActionDigest }, answer);
    return claimed.state === 'allowed' ? { ...claimed, edited } : claimed;
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return error;
    throw error;
  }
}

/** Ends the execution of what was asked for under a key, if it was claimed and has not ended. */
export async function endAsked(
  { platform, tenant }: Context,
  key: string,
  said: Ending,
): Promise<void> {
  const ctx = { platform, tenant };
  const none = { userAgent: null, rawBody: Buffer.alloc(0), hasLeft: () => false };
  try {
    const asked = await replayDecision(ctx, { headers: { 'idempotency-key': key }, ...none });
    if (!asked) return;
    const { traceId } = asked.answer;
    const [execution] = await listExecutions(ctx, traceId);
    if (!execution) return;
    const executionId = String(execution.executionId);
    await endExecution(ctx, { id: traceId, executionId }, said);
  } catch (error) {
    // An outcome that is recorded, or a decision of another agent: the result says nothing new.
    if (!(error instanceof AppError) || error.http >= 500) throw error;
  }
}

async function claimAction(
  ctx: Context,
  claim: Omit<ClaimInput, 'leaseSeconds'>,
  answer: PermittedDecision,
): Promise<Permission> {
  try {
    const leased = { ...claim, leaseSeconds: LEASE_SECONDS };
    const { execution } = await claimExecution(ctx, answer.traceId, leased);
    return { state: 'allowed', answer, execution };
  } catch (error) {
    if (!(error instanceof AppError) || error.http >= 500) throw error;
    if (error.code === 'APPROVAL_PENDING') return { state: 'held', answer };
    return { state: 'refused', answer, error };
  }
}

/** A held action is claimed when its question is repeated: then a person may have approved it. */
async function settleQuestion(
  ctx: Context,
  question: Question,
  { answer, isReplay }: IngestResult,
): Promise<Permission> {
  const { status, matchedPolicy, claimRequired } = answer;
  if (status === 'blocked') {
    const error = new AppError('SVC_BLOCKED_BY_POLICY', matchedPolicy?.reason);
    return { state: 'refused', answer, error };
  }
  if (status === 'flagged' && !isReplay) return { state: 'held', answer };
  const rawActionDigest = hashAction(readAction(question.decision)) ?? '';
  if (claimRequired) return claimAction(ctx, { rawActionDigest }, answer);
  return { state: 'allowed', answer, execution: null };
}

function readAction({ outputDecision }: JsonObject): Json {
  return (outputDecision as { action?: Json } | undefined)?.action ?? null;
}

/** The action with the edits of its approval; null: it has none. */
function findEdited({ review }: TraceDetails, action: JsonObject): JsonObject | null {
  const edits = review?.edits ?? null;
  return isJsonObject(edits) ? (applyMergePatch(action, edits) as JsonObject) : null;
}

function toPermitted({
  traceId,
  review,
  matchedPolicy,
  hashChain,
}: TraceDetails): PermittedDecision {
  return {
    traceId,
    reviewId: review ? String(review._id) : null,
    expiresAt: review?.expiresAt ?? null,
    matchedPolicy,
    hashChain,
    links: {
      self: `/api/v1/traces/${traceId}`,
      review: review && toReviewPage(String(review._id)),
    },
  };
}
