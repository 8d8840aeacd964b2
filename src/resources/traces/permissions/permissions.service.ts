// Asks whether actions may be carried out now: decisions are recorded, and what is to be claimed is claimed at once.
import { hashAction } from '../../../domain/actions/proposed-action.ts';
import type { Json, JsonObject } from '../../../domain/record/json.ts';
import { AppError } from '../../../errors.ts';
import type { BatchRequest, BatchService } from '../batch/batch.service.ts';
import type { ExecutionService } from '../executions/executions.service.ts';
import type { ExecutionView } from '../executions/executions.view.ts';
import type { IngestAnswer } from '../ingestion/ingest-answer.ts';
import type { IngestionCaller } from '../ingestion/ingestion-request.ts';
import type { IngestResult } from '../ingestion/ingestion.service.ts';

/** A decision that is asked for, and the key by which a repeated question finds it. */
export interface Question {
  decision: JsonObject;
  key: string;
}

export type Permission =
  /** `execution`: the claim that was made; null: none was required. */
  | { state: 'allowed'; answer: IngestAnswer; execution: ExecutionView | null }
  | { state: 'held'; answer: IngestAnswer }
  | { state: 'refused'; answer: IngestAnswer; error: AppError };

export type AskRequest = Omit<BatchRequest, 'headers'>;

interface Deps {
  batches: BatchService;
  executions: ExecutionService;
}

/** Seconds within which the outcome of a claimed action is due. */
const LEASE_SECONDS = 600;

export function createPermissionService({ batches, executions }: Deps) {
  async function claimAction(
    { tenant }: IngestionCaller,
    { decision }: Question,
    answer: IngestAnswer,
  ): Promise<Permission> {
    try {
      const claim = { rawActionDigest: hashAction(readAction(decision)) ?? '' };
      const execution = await executions.claim(tenant, answer.traceId, {
        ...claim,
        leaseSeconds: LEASE_SECONDS,
      });
      return { state: 'allowed', answer, execution };
    } catch (error) {
      if (!(error instanceof AppError) || error.http >= 500) throw error;
      if (error.code === 'APPROVAL_PENDING') return { state: 'held', answer };
      return { state: 'refused', answer, error };
    }
  }

  /** A held action is claimed when its question is repeated: then a person may have approved it. */
  async function settleQuestion(
    caller: IngestionCaller,
    question: Question,
    { answer, isReplay }: IngestResult,
  ): Promise<Permission> {
    const { status, matchedPolicy, claimRequired } = answer;
    if (status === 'blocked') {
      const error = new AppError('SVC_BLOCKED_BY_POLICY', matchedPolicy?.reason);
      return { state: 'refused', answer, error };
    }
    if (status === 'flagged' && !isReplay) return { state: 'held', answer };
    if (claimRequired) return claimAction(caller, question, answer);
    return { state: 'allowed', answer, execution: null };
  }

  return {
    /**
     * Records the decisions, and answers in their order whether each action may be carried out now. An error stands for
     * a decision that could not be recorded.
     * @throws AppError `SERVICE_UNAVAILABLE`, and what is a fault
     */
    async ask(
      caller: IngestionCaller,
      questions: readonly Question[],
      request: AskRequest,
    ): Promise<(Permission | AppError)[]> {
      const decisions = questions.map(({ decision, key }) => ({
        ...decision,
        idempotencyKey: key,
      }));
      const outcomes = await batches.recordBatch(caller, decisions, { ...request, headers: {} });
      const settled: (Permission | AppError)[] = [];
      for (const [index, outcome] of outcomes.entries()) {
        const question = questions[index];
        if (!question) break;
        settled.push(
          outcome instanceof AppError ? outcome : await settleQuestion(caller, question, outcome),
        );
      }
      return settled;
    },
  };
}
export type PermissionService = ReturnType<typeof createPermissionService>;

function readAction({ outputDecision }: JsonObject): Json {
  return (outputDecision as { action?: Json } | undefined)?.action ?? null;
}
